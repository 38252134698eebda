"""What people say while another one speaks. Data only.

Two sets: one to learn from, one to measure with. They share what is said in a word or two ("wait",
"yeah"), for a language has few of those, but never a voice.
"""

from __future__ import annotations

from typing import Final

LEARN_BACKCHANNELS: Final = (
    "Mm.", "Mm-hm.", "Mhm.", "Mmm.", "Mm-hmm.", "Hm.", "Hmm.", "Uh-huh.", "Uh huh.", "Aha.",
    "Ah.", "Oh.", "Oh okay.", "Huh.", "Yeah.", "Yep.", "Yup.", "Yes.", "Yeah yeah.",
    "Yeah, sure.", "Right.", "Right, right.", "All right.", "Alright.", "Okay.", "Okay, okay.",
    "Ok.", "Sure.", "Exactly.", "Of course.", "True.", "I see.", "Ah, I see.", "Got it.",
    "Gotcha.", "Makes sense.", "I know.", "Wow.", "Nice.", "Cool.", "Great.", "Good.", "Really.",
    "Perfect.", "Fair enough.", "Ha ha.", "Ha ha ha.", "Heh heh.", "Hee hee hee.", "Yeah, okay.",
    "Yeah, right.", "Mm, yeah.",
)  # fmt: skip

LEARN_INTERRUPTIONS: Final = (
    "What is it?", "What about the tests?", "What did you say?", "What was the first one?",
    "Which file was that?", "Which agent?", "Why is that?", "Why did it fail?",
    "When will it end?", "Where is it now?", "Who asked for that?", "Whose job is it?",
    "How long will it take?", "How many are left?", "How come?", "Can you repeat that?",
    "Can it be done?", "Could you slow down?", "Can we go back?", "Tell me about the build.",
    "Tell it to stop.", "Show me the other one.", "Give me the short version.",
    "Go back to the start.", "Go to the next one.", "Let me think.", "Let's move on.",
    "Let it run.", "I want the other one.", "I need the numbers.", "I don't think so.",
    "I didn't get that.", "I meant the other one.", "I asked about the tests.",
    "But it failed before.", "But why?", "And the other one?", "Actually, skip that.",
    "Actually, never mind.", "Did it pass?", "Do it again.", "Don't do that.", "Does it work?",
    "Is it safe?", "Is that all?", "Are you sure?", "Are they done?", "Has it ended?",
    "Have you seen it?", "Will it work?", "Would you check?", "Should we wait?",
    "There is a problem.", "That is wrong.", "That's not it.", "This is too long.",
    "The other one.", "The tests first.", "They have to wait.", "It should use the cache.",
    "It's the wrong one.", "Please stop.", "Please go slower.", "Please wait.", "Stop.",
    "Stop it.", "Stop the agent.", "Stop talking.", "Wait.", "Wait a moment.", "Wait, wait.",
    "Hold on.", "Hold it.", "Hang on.", "No.", "No, no.", "No, the other one.", "Nope.",
    "Not that one.", "Not now.", "Never mind.", "Cancel that.", "Cancel it.", "Enough.",
    "Enough of that.", "Skip it.", "Skip this part.", "Quiet.", "Be quiet.", "Pause.",
    "Pause it.", "Jarvis.", "Jarvis, wait.", "Hey Jarvis.", "Hey.", "Sorry, what?",
    "Sorry, go back.", "Excuse me.", "Listen.", "One moment.", "One more thing.",
    "Just a second.", "Just the result.", "Just tell me.", "Use the other one.",
    "Use the cache.", "Run it again.", "Read that again.", "Change the name.", "Check it.",
    "Open the file.", "Say that again.", "Send it.", "Ask the other one.", "Answer with yes.",
    "Approve it.", "Deny it.", "Yesterday it worked.", "You said two.", "You are wrong.",
    "Your turn.", "Make it shorter.", "More slowly.", "Maybe later.", "My mistake.",
    "Much shorter, please.", "Next one.", "Now what?", "Then what?", "Try again.",
    "Two of them.", "We can skip it.", "Who is it?", "Keep it.", "Forget it.",
    "Forget about that.", "First things first.", "For how long?", "From the top.",
    "If it fails, tell me.", "In short?", "Louder.", "Shorter.", "Slower.", "Speak up.",
    "Start over.", "Turn it off.", "Talk later.", "Too fast.", "Shut up.", "Shush.", "Hush.",
    "Repeat that.",
)  # fmt: skip

# Reported with the voices that ship; the first half of each list chose the numbers of the
# settings, the second half had no say in anything.
INTERRUPTIONS: Final = (
    "What failed?", "Stop.", "Wait, which branch?", "Can you tell me what changed?",
    "No, that's wrong.", "Actually, I want to know about the migration.", "Hold on a second.",
    "Jarvis, stop.", "How far is it?", "Tell me about the second run.", "Why did it do that?",
    "I have a question.", "Is anything blocked?", "When did it start?", "Who is waiting for me?",
    "Could you say that again?", "That's enough for now.", "Let's talk about the release.",
    "Show me the failing test.", "But what about the deadline?", "Never mind that.",
    "Please tell the agent to pause.", "Where did it write the report?", "Do not deploy that.",
    "It was meant to use staging.", "Skip to the end.", "Give me the summary.",
    "Go on to the costs.", "No.", "Hey Jarvis, one thing.", "What does that mean?",
    "Stop right there.", "Wait.", "Can we skip this?", "No wait.", "Actually no.", "Hold on.",
    "Jarvis?", "How many tests are there?", "Tell it to wait.", "Why not?",
    "I want to change the plan.", "Is it finished?", "When will it be ready?",
    "Who changed that file?", "Could you be brief?", "That's not what I asked.",
    "Let me ask you something.", "Show me the log.", "But it passed yesterday.",
    "Nope, not that one.", "Please stop talking.", "Where are we now?", "Don't push it yet.",
    "It needs another review.", "Sorry, what was that?", "Give me a moment.", "Go back a bit.",
    "Cancel.", "Hang on, Jarvis.",
)  # fmt: skip

BACKCHANNELS: Final = (
    "Mm-hm.", "Yeah.", "Right.", "Okay.", "Uh-huh.", "Got it.", "Sure.", "I see.", "Mm.", "Yes.",
    "All right.", "Yep.", "Oh.", "Hm.", "Okay, sure.", "Yeah, yeah.", "Ah, okay.", "Great.",
    "Makes sense.", "Ha ha.", "Mhm.", "Yeah, right.", "Right, okay.", "Okay, yeah.",
    "Uh huh, yeah.", "Yeah, got it.", "Sure, sure.", "Oh, I see.", "Mmm.", "Yes, yes.",
    "Alright.", "Yup.", "Ah.", "Hmm.", "Cool.", "Nice.", "Exactly.", "Good.", "Of course.",
    "Ha ha ha.",
)  # fmt: skip

SIDE_TALK: Final = (
    "Honey, can you get the door?", "Anna, are you there?", "Mom, I'm on a call.",
    "Hey Tom, have you seen my keys?", "Sweetheart, dinner is ready.",
    "Kids, not so loud please.", "Dad, I'll be there in a minute.",
    "Hello? Yes, this is Daniel.", "Lisa, could you close the window?", "Come here, good boy.",
    "David, where is the charger?", "Darling, I'm working.",
)  # fmt: skip

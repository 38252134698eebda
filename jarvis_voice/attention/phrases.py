"""What people say to answer, to put off, to ask back. English; data only.

Phrases are as ``utterance`` leaves them: lower case, no punctuation, no apostrophes.
"""

from __future__ import annotations

from typing import Final


def _lines(text: str) -> frozenset[str]:
    return frozenset(line.strip() for part in text.split("\n") for line in part.split("|")) - {""}


# Said by themselves to a question that was just put. These let an irreversible action go.
CLEAR_YES: Final = _lines("""
    yes | yeah | yep | yes please | yes do | yes do it | yes do that | yes go ahead | yes it may
    yes it can | yes you may | yes let it | yes i do | yes i am | yes i am sure | yes im sure
    im sure | i am sure | quite sure | yes absolutely | absolutely | definitely | yes definitely
    go ahead | please do | do it | do that | go for it | let it | let it go ahead | let it happen
    let it do it | let it do that | let it run | let it through | it may | it can | make it so
    approve | approve it | approve that | approve this | approve that one | approve this one
    i approve | i approve it | i approve that | approved | its approved | thats approved
    yes approve | yes approve it | yes approve that | allow it | allow that | allow this | allow
    i allow it | permit it | permission granted | granted | confirm | confirmed | i confirm
    yes confirm | yes confirmed | green light | give it the go ahead | give it the green light
    yes yes | yes thats right | yes that is right | sure do it | sure go ahead | yes sure
    okay do it | okay go ahead | okay yes | yes okay | all right go ahead | alright go ahead
    send it | ship it | push it | run it | publish it | deploy it | yes push it | yes send it
    yes ship it | yes run it | yes publish it | yes deploy it | yes delete it | delete it
    proceed | yes proceed | it can proceed | let it proceed | let it continue
    of course | yes of course | by all means | thumbs up | do
""")

# These are a yes to an ordinary question; to what cannot be undone they are too little.
SOFT_YES: Final = _lines("""
    okay | all right | alright | sure | sure thing | fine | thats fine | that is fine | its fine
    fine with me | fine by me | thats okay | that is okay | okay with me | good | sounds good
    looks good | thats good | right | correct | exactly | thats right | that is right | i agree
    agreed | i guess | i guess so | i think so | probably | why not | mhm | uh huh | mm hm | aye
    no problem | no objections | no objection | perfect | great | cool | very well | good idea
    that works | works for me | i suppose so | as you like | carry on | continue | go on
    keep going
""")

NO: Final = _lines("""
    no | nope | no no | no thanks | no thank you | no dont | no do not | no it may not
    no it cant | no it can not | no you may not | no dont do it | no dont do that | dont | do not
    dont do it | dont do that | dont let it | do not do it | do not let it | not that | no way
    never | absolutely not | definitely not | certainly not | of course not | i dont think so
    id rather not | i would rather not | rather not | better not | please dont | please do not
    deny | deny it | deny that | deny this | deny that one | i deny it | no deny it
    reject | reject it | reject that | reject this | rejected | refuse | refuse it | refuse that
    block it | block that | veto | i veto that | forbid it | forbid that | decline | decline it
    i decline | disapprove | i disapprove | not approved | its not approved | not allowed
    hold off | no hold off | hold it off | hold it | hold that | hold it back | keep it back
    cancel it | cancel that | no cancel it | skip it | skip that | drop it | leave it
    stop it | no stop it | thumbs down | negative | its not okay | thats not okay | no go
    not today
    no it must not | it may not | it must not | it should not | it shouldnt | it cannot | it cant
    no wait | wait no | not like that | not like this | no not like that
""")

DELEGATE: Final = _lines("""
    you decide | you choose | you pick | you can decide | you may decide | your call | your choice
    its your call | its your choice | its up to you | it is up to you | up to you | thats up to you
    whatever | whatever you think | whatever you think is best | whatever you like | whatever works
    what you think is best | as you think | as you see fit | use your judgement | use your judgment
    use your own judgement | use your own judgment | use its judgement | use your best judgement
    do what you think is best | do what you think is right | do whatever you think is best
    do what you want | do whatever you want | do as you like | do as you see fit | do what you like
    i dont care | i do not care | dont care | i dont mind | i do not mind | i have no preference
    no preference | it doesnt matter | it does not matter | doesnt matter | does not matter
    either | either one | either is fine | either one is fine | either way | both are fine
    any | any of them | any one | any is fine | any of them is fine | surprise me | dealers choice
    let it decide | let it choose | let the agent decide | let the agent choose | it can decide
    it can choose | it may decide | the agent can decide | the agent decides | it decides
    i trust you | i trust it | i leave it to you | ill leave it to you | i leave that to you
    leave it to you | i leave it to it | leave it to the agent | ask someone else | whichever
    i have no idea you decide | i dont know you decide | no idea you decide | you know best
""")

LATER: Final = _lines("""
    later | not now | not right now | not yet | maybe later | ask me later | ask me again later
    ask again later | ask later | tell me later | come back later | come back to me later
    remind me later | remind me | another time | some other time | snooze | snooze it | snooze that
    later please | do that later | lets do that later | i will answer later | ill answer later
    ill decide later | i will decide later | ill tell you later | i decide later | decide later
    im busy | i am busy | im busy right now | i am busy right now | im in a meeting
    i am in a meeting | im on the phone | i am on a call | im on a call | im driving
    let me think | let me think about it | let me think about that | i need to think
    i need to think about it | i have to think about it | i have to think | ill think about it
    i will think about it | i need more time | i need some time | give me some time
    put it off | postpone it | postpone | postpone that | park it | park that | keep that for later
    save it for later | i dont know yet | i do not know yet | im not sure yet | i cant right now
    i cant talk | i cant talk now | i can not talk now | ask me when im back | ask me when i am back
    no not now | no later | nope later | no ask me later | no not yet
""")

SHORTLY: Final = _lines("""
    one moment | one second | one sec | just a moment | just a second | just a sec | a moment
    just a minute | one minute | hang on | hold on | wait | wait a moment | wait a second
    wait a minute | give me a moment | give me a second | give me a minute | give me a sec
    in a moment | in a minute | in a second | wait a sec | bear with me | ask me in a moment
    ask me in a minute | hold that thought | a moment please | hold on a second | hold on a moment
""")

OPTIONS: Final = _lines("""
    what are the options | what are the options again | what were the options | the options
    what options | which options | what options are there | which options are there | options
    what options do i have | which options do i have | what are my options | what were my options
    what are the choices | what were the choices | what are my choices | what choices do i have
    what can i say | what can i choose | what can i choose from | what can i answer
    what could i say | list the options | read the options | read me the options
    give me the options
    repeat the options | say the options again | tell me the options | tell me the options again
    the options again | options again | what was the first option | what was the first one
    what was the second option | what was the second one | what was the other one
    what is the other option | what was the other option | between what | or what
    what are the alternatives | what are the possibilities
""")

QUESTION_AGAIN: Final = _lines("""
    what was the question | what was the question again | what is the question | the question again
    whats the question | repeat the question | say the question again | what did you ask
    what did you ask me | what do you want to know | what was it | ask me again | ask again
    what did it ask | what does it ask | what does it want | what does it want to do
    what is it about to do | what was it about to do | what does it want from me | which question
    what is this about | whats this about | what is it about | whats it about | what is that about
    what do you mean | what do you need | what | sorry | pardon | excuse me | come again | huh
    say that again | say it again | can you repeat that | repeat that | repeat it | repeat
    once more | once again | again | i didnt hear you | i didnt hear that | i didnt catch that
    i did not hear that | i did not catch that | i didnt get that | what did you say
    what was that | what was that again | who | which agent | which one is it | which agent is it
    which agent is that | who is asking | whos asking | which one is asking | which run
""")

WHY: Final = _lines("""
    why | why is that | why not just do it | why do you ask | why do you ask me | why are you asking
    why are you asking me | why me | why is it asking | why does it ask | why do i have to decide
    why do i need to decide | why should i decide | why is that my decision
    why is this my decision
    why is it my decision | why is that up to me | why is this up to me | why is it up to me
    why does it need me | why do you need me | why does it matter | why is that important
    why is this important | why is it held | why did you hold it | why did you stop it
    why does it want that | why does it want to do that | why would it do that | explain
    explain that | explain it | explain please | how come | how so | for what reason | what for
    what is the reason | whats the reason | tell me more | more details | details | give me details
    what happens if i say yes | what happens if i say no | what would happen | what happens then
    what exactly | what exactly does it do | what exactly would it do | what is it exactly
    what is the evidence | based on what | says who | what makes you think so | what makes you ask
""")

WAITING_PATTERN: Final = (
    r"^(?:and |so )?(?:which|what|who|whos|whose|how many|list|name|show me|tell me|read me)\b.*"
    r"\b(?:waiting|waits|wait|need me|needs me|need my|needs my|open questions?|"
    r"questions? (?:are )?(?:open|left|for me|do you have)|pending|held|on hold|blocked on me)\b"
    r"|^(?:is|are) (?:anyone|anything|anybody|something|someone|any|there)\b.*"
    r"\b(?:waiting|questions?|for me|need me|needs me|pending|held|on hold)\b"
    r"|^(?:any|any more|any other) (?:questions?|decisions?|approvals?)\b.*"
    r"|^what (?:else )?(?:do|does) (?:you|they|it) need (?:from )?me\b.*"
    r"|^what (?:else )?(?:needs|need|requires|wants) (?:me|my|an? (?:answer|decision|approval))\b.*"
    r"|^(?:do|does) (?:you|anyone|anything|any of them|they|any agent) need me\b.*"
    r"|^what is (?:still )?(?:open|pending|waiting|left for me|on my plate)\b.*"
    r"|^whats (?:still )?(?:open|pending|waiting|left for me|on my plate)\b.*"
    r"|^(?:which|what) ones$|^which ones are (?:they|those|there)$"
)
"""Asks for the list of what waits for the user."""

CORRECTS: Final = (
    r"^(?:(?:no|nope|wait|sorry|oops|actually|hold on|hang on|stop|uh|oh|okay|hmm|but|"
    r"wait a minute|wait a second|not that|thats wrong|that is wrong|thats not right|"
    r"that is not right|wrong|"
    r"thats not what i (?:said|meant|wanted)|that is not what i (?:said|meant|wanted)|scratch that|"
    r"strike that|forget that|correction|my mistake|i misspoke|you misheard(?: me)?|"
    r"i changed my mind|ive changed my mind|on second thought|on second thoughts|undo that|undo|"
    r"take that back|i take that back|take it back|i take it back|revert that)(?: |$))+"
)
"""Begins the correction of what was just understood; more of it may follow."""

MEANT: Final = (
    r"^(?:i (?:said|meant|mean|wanted|want|did say|was saying|meant to say|wanted to say|"
    r"asked for)|"
    r"it (?:should|must) (?:be|say)|make (?:it|that)|change (?:it|that) to|rather|instead|"
    r"it is|its|thats|that is|better|lets say|lets make it|should be|use)(?: that)?\b ?"
)
"""Introduces the corrected words."""

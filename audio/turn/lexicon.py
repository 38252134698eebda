"""Words that decide who has the floor when both speak. English; data only.

Phrases are as ``barge_in.words_of`` leaves them: lower case, no punctuation, hyphens as spaces, no
apostrophes, three or more equal letters in a row as one ("mmmm" is "m", "sooo" is "so").
"""

from __future__ import annotations

from typing import Final

# Said to show that one listens. The speaker who hears them is expected to go on.
BACKCHANNELS: Final = frozenset(
    {
        # hums and laughs
        "m", "mm", "mhm", "mmhm", "mmhmm", "mhmm", "mm hm", "mm hmm", "m hm", "m hmm",
        "m h m", "h m",
        "hm", "hmm", "hum", "uh", "uh huh", "uhuh", "uhhuh", "um", "ah", "aha", "ah ha", "a ha",
        "eh", "er", "oh", "ooh", "ohh", "huh", "ha", "haha", "hahaha", "ha ha", "heh", "hehe",
        "he he", "hah", "mm mm",
        # agreement
        "yeah", "ya", "yah", "yep", "yup", "yes", "ye", "aye", "right", "alright", "all right",
        "ok", "okay", "okey", "okey dokey", "k", "kay", "mkay", "sure", "sure thing", "exactly",
        "yes sir", "indeed", "absolutely", "definitely", "totally", "precisely", "true",
        "thats true", "thats right", "of course", "fair", "fair enough", "agreed", "for sure",
        "sounds good",
        # understanding
        "i see", "ah i see", "i get it", "i got it", "got it", "gotcha", "i understand",
        "understood", "makes sense", "make sense", "that makes sense", "i know", "roger",
        # appraisal
        "wow", "whoa", "woah", "nice", "cool", "great", "good", "very good", "perfect",
        "excellent", "awesome", "interesting", "amazing", "lovely", "neat", "really", "oh really",
        "no kidding", "no way", "my goodness", "gosh", "oh my", "oh dear", "oh boy", "oh man",
        # invitations to go on
        "go on", "go ahead", "and", "so", "please go on",
    }
)  # fmt: skip

# Said to take the floor. At the start of what the user says they need no further proof.
STOP_PHRASES: Final = frozenset(
    {
        "stop", "stop it", "stop talking", "please stop", "wait", "hold on", "hold up",
        "hang on", "no", "nope", "nah", "not that", "cancel", "abort", "halt", "pause", "quiet",
        "be quiet", "silence", "hush", "shush", "shut up", "enough", "thats enough", "never mind",
        "nevermind", "forget it", "forget that", "skip", "skip it", "skip that", "one second",
        "one sec", "one moment", "just a second", "just a sec", "just a moment", "just a minute",
        "a moment", "time out", "excuse me", "sorry", "listen",
        "i have a question", "question", "jarvis", "hey jarvis",
        "hi jarvis",
    }
)  # fmt: skip

# Takes the floor as a single word, without being a stop phrase.
SAID_ALONE: Final = frozenset(
    """what whats which who whose where when why how again repeat louder slower faster shorter
    longer next back skip continue help pardon tests status summary cost""".split()
)

# What small recognizers write for "mm-hm" and its like: "Amen", "I'm him", "It's a man".
HUM_WORDS: Final = frozenset(
    """a am amen em emma h ham hand hem hermed him home hum i im its m mama mamma man me meham memo
    men miham moment mom mum my sim smell the to""".split()
)

LONGEST_PHRASE: Final = max(len(phrase.split()) for phrase in BACKCHANNELS | STOP_PHRASES)

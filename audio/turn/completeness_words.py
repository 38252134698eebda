"""Words that tell whether a turn is over. English; data only.

All are as ``barge_in.words_of`` leaves them: lower case, no punctuation, no apostrophes.
"""

from __future__ import annotations

from typing import Final

# Said while one looks for words. At the end of what is known, more is to come.
FILLERS: Final = frozenset(
    """um uh er erm uhm umm hm hmm mm m ah eh like well so okay basically actually anyway
    arm ur urm ohm""".split()  # what recognizers make of "um" and "er"
)
FILLER_PHRASES: Final = frozenset(
    {"you know", "i mean", "kind of", "sort of", "lets see", "how to"}
)

# What recognizers make of a "to" that the voice stops at.
LIKE_TO: Final = frozenset({"2", "two", "too"})

# Said before what matters: left out when the kind of a sentence is looked for.
OPENERS: Final = frozenset(
    """um uh er erm hm hmm mm ah oh well so and but okay ok alright right yeah yes no hey hi hello
    jarvis please then now also actually just great good thanks sure sorry wait perfect cool
    """.split()
)

ARTICLES: Final = frozenset("the a an my your our their its every".split())
CONJUNCTIONS: Final = frozenset(
    """and or but because although unless whether if than nor plus whereas therefore as while
    once except including""".split()
)
PREPOSITIONS: Final = frozenset(
    """to of for with from into onto about at by between in on over under through during without
    against near per via toward towards until within among across behind beyond inside
    upon""".split()
)
# "log in", "turn it on", "carry on": with these before it, a preposition is part of the verb.
PARTICLE_AFTER: Final = frozenset(
    "go carry move hold hang come log turn switch keep start pass get it that them this one".split()
)
PARTICLES: Final = frozenset("in on over by through".split())

AUXILIARIES: Final = frozenset(
    """is are was were am be been will would could should can might must may shall has have had does
    did do isnt arent wasnt werent wont wouldnt couldnt shouldnt cant hasnt havent hadnt doesnt
    didnt dont ought""".split()
)
# "it's", "I'll", "let's": a subject with the start of its verb, and nothing after it.
OPEN_SUBJECTS: Final = frozenset(
    """i we he she they im ive ill id youre youve youll theyre theyve theyll hes shes weve well
    thats theres lets itll whos whats""".split()
)
PRONOUNS: Final = frozenset("i you he she it we they that this there".split())
OBJECTS: Final = frozenset("me him her us them it you this that".split())
INTENSIFIERS: Final = frozenset(
    "very quite almost rather mostly such several exactly probably".split()
)

# With nothing after them these want an object or a clause, unless the sentence asks for it.
TRANSITIVE: Final = frozenset(
    """tell let make give ask want wants need needs put send set use take find mean means say says
    wondering wonder thinking trying try figure going supposed able keep called named think thought
    guess believe suppose hope wish prefer like would rather got getting using about""".split()
)
# "tell the agent", "give me": somebody is named, and what about them is still to come.
DITRANSITIVE: Final = frozenset("tell ask remind make let give send show help have want".split())
CAUSATIVE: Final = frozenset("let make help have want".split())
LOOKS_COMPLETE_WITH_ONE: Final = frozenset("show send help".split())
RELATIVES: Final = frozenset("that which who".split())
# "the other", "the same": one of a kind, and a noun is still to come.
BEFORE_NOUN: Final = frozenset("other same whole only new old current latest next".split())
WHOLE_CLAUSE: Final = frozenset("why how when where".split())  # "can you tell me why"

# "it wants to", "what is it going to": a verb is still to come.
TO_VERB: Final = frozenset(
    """want wants need needs have has had going try trying tries able supposed like used got plan
    plans ready start begin allowed expected meant hope how where when what who whom""".split()
)
BE: Final = frozenset("is are was were isnt arent wasnt werent".split())
# With only a pronoun after them ("where is it") these make a whole question.
PLACE_WORDS: Final = frozenset("where wheres who whos".split())
WHOLE_IN_TWO: Final = frozenset("not so now then next else about come for time".split())
PAST: Final = frozenset(
    """broke went came began ran took made said got lost won found sent wrote saw knew told left
    gave kept meant built stopped happened failed changed thought chose felt held put set cut hit
    works looks seems runs needs wants takes fails says goes comes""".split()
)
NUMBERS: Final = frozenset(
    """two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty
    sixty ninety hundred thousand""".split()
)
BEFORE_UNITS: Final = frozenset(
    "in for after about me every another within only than least most the next last".split()
)

WH_WORDS: Final = frozenset(
    """what whats which who whos whose where wheres when whens why whys how hows""".split()
)
SUBORDINATORS: Final = frozenset(
    "if when unless before after once while because since although whenever until".split()
)

COMMANDS: Final = frozenset(
    """stop cancel run rerun start restart pause resume continue wait read show open close go push
    pull merge deploy delete remove rename move copy write use keep skip tell ask let give send set
    put turn make check fix test build explain summarize summarise repeat remind approve reject deny
    accept allow refuse hold kill undo revert try call take change add do dont never retry ignore
    look find list describe switch compare finish leave bring clear clean update install stay play
    say speak log limit abort drop veto block unblock migrate publish archive search analyze
    analyse refactor create generate prepare ship release wrap export import download upload scan
    draft raise lower close commit rebase format lint wake mute quit exit forget help
    """.split()
)

SHORT_ANSWERS: Final = frozenset(
    {
        "yes", "no", "yep", "yeah", "nope", "yes please", "no thanks", "no thank you", "sure",
        "go ahead", "yes go ahead", "stop", "thanks", "thank you", "that is all", "thats all",
        "never mind", "nevermind", "not yet", "no not yet", "do it", "yes do it", "correct",
        "thanks that is all", "thanks thats all",
        "thank you that is all", "thank you thats all", "thats right", "that is right", "exactly",
        "of course", "both", "neither", "later",
        "cancel", "skip it", "continue", "go on", "carry on", "goodbye", "bye", "you decide",
        "why", "why not", "how so", "what", "sounds good", "that is fine", "thats fine",
        "please do",
        "sure do that", "i agree", "approved", "denied", "none", "all of them", "again",
        "i think so", "i hope so", "i guess so",
    }
)  # fmt: skip

# Answers that often come with a condition: "yes, but only the first two".
LONE_ANSWERS: Final = frozenset("yes no yep yeah nope sure".split())

# The user asks for time. What may follow such a phrase without making it a request of its own.
WAIT_PHRASES: Final = frozenset(
    {
        "hold on", "hang on", "wait", "one moment", "one second", "one sec", "one minute",
        "a moment", "a second", "just a moment", "just a second", "just a sec", "just a minute",
        "give me a second", "give me a moment", "give me a minute", "give me a sec",
        "wait a moment", "wait a second", "wait a minute", "hold on a second", "hold on a moment",
        "hold on a minute", "hang on a second", "hang on a moment", "hang on a minute",
        "let me think", "let me see", "let me check", "let me look", "bear with me", "not so fast",
        "im thinking", "i am thinking", "i need to think", "let me think about it",
        "let me think about that", "give me time", "wait wait", "hold on hold on",
    }
)  # fmt: skip
WAIT_TAILS: Final = frozenset("please i im let while jarvis first there".split())
LONGEST_WAIT: Final = max(len(phrase.split()) for phrase in WAIT_PHRASES)

DIGITS: Final = frozenset("zero oh one two three four five six seven eight nine".split())
REPEATS: Final = frozenset({"double", "triple"})
PHONE_WORDS: Final = frozenset("phone telephone call reach mobile cell number dial".split())
CODE_WORDS: Final = frozenset(
    "code pin extension ticket order issue account serial password id zip postcode".split()
)
# Comes after a comma without being the next item of a list.
NO_ITEM: Final = frozenset(
    """please thanks thank then instead okay right now though too again jarvis yes no not and or but
    so because since if when until unless although who which that i you it he she we they is are
    do did does can could let lets just maybe tell what why how where as after before""".split()
)
CLOSES_ENUMERATION: Final = frozenset("third finally last lastly fourth".split())

# Those who do something: after "let the ..." what they shall do is still to come.
ACTORS: Final = frozenset("agent agents one ones bot model team guy other others".split())

"""The rules that tell what is asked, in order: the first that fits decides. Data only.

They read uniform text (see ``intents``): lower case, no punctuation, contractions written out.
"""

from __future__ import annotations

from enum import Enum, auto


class Intent(Enum):
    """What the user wants to hear."""

    GREETING = auto()
    THANKS = auto()
    GOODBYE = auto()
    ACKNOWLEDGED = auto()
    IDENTITY = auto()
    STEER = auto()  # asks for an act; this brain only watches
    STATUS = auto()
    NOW = auto()
    PROGRESS = auto()
    FINDINGS = auto()
    UNCLEAR = auto()
    FAILURES = auto()
    CHANGES = auto()
    GOAL = auto()
    ELAPSED = auto()
    REMAINING_TIME = auto()
    COST = auto()
    FILES = auto()
    COMMAND = auto()
    SAID = auto()
    DENIALS = auto()
    DECISION = auto()
    DONE = auto()
    WAITING = auto()
    RUNS = auto()
    WHY = auto()
    REPEAT = auto()
    GO_ON = auto()
    CLARIFY = auto()
    UNKNOWN = auto()


_IT = (
    r"(?:it|its|that|this|he|she|they|things?|everything|all|anything|something|we|claude|codex|"
    r"(?:the|this|that|my|your|our) (?:\w+ )?(?:run|agent|job|task|work|worker|thing|process|"
    r"session|one)|(?:the )?(?:first|second|third|other|last) (?:run|agent|job|task|one))"
)
_BE = r"(?:is|are|was|were|has|have|had|did|does|do|will|be|been)"
_FILL = r"(?: (?:all|already|now|just|been|really|actually|yet|still|currently|only|so far|even))*"

RULES: tuple[tuple[Intent, str], ...] = (
    (
        Intent.REPEAT,
        r"^(?:what|sorry|pardon|pardon me|excuse me|come again|again|repeat|huh|"
        r"once more|one more time)$",
    ),
    (
        Intent.REPEAT,
        r"\b(?:say|tell|repeat|read)(?: me)?(?: that| it| this)?(?: all)? "
        r"(?:again|once more|one more time|back)\b|\brepeat (?:that|it|this|yourself)\b|"
        r"\bwhat (?:did|were|have) you (?:just )?(?:say|saying|said|tell)\b|"
        r"\b(?:did|could|can) not (?:quite )?(?:hear|catch|get|understand)\b",
    ),
    (
        Intent.GO_ON,
        r"^(?:go on|go ahead|continue|carry on|keep going|proceed|resume|more|and|and then|"
        r"then what|what else|go on go on|tell me more|you were saying|finish(?: that| it)?|"
        r"(?:please )?(?:go on|continue)(?: please)?|what were you (?:going|about) to say|"
        r"and what else|anything else|is there more|the rest|tell me the rest)$",
    ),
    (
        Intent.CLARIFY,
        r"\bwhat (?:do|did|does|would) (?:you|it|that|they|he) mean (?:by|with|when you say"
        r"|when you said) (?P<phrase>.+)$",
    ),
    (
        Intent.CLARIFY,
        r"\bwhat does (?P<phrase>.+) mean$|^explain (?P<phrase2>.+)$|"
        r"\bwhat is the meaning of (?P<phrase3>.+)$|^(?P<phrase4>\w+) meaning what$",
    ),
    (Intent.CLARIFY, r"^(?:what do you mean|how do you mean|meaning|what does that mean|explain)$"),
    (
        Intent.GREETING,
        r"^(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening|day)|hi there|"
        r"hello there|hey there|are you (?:there|listening|awake)|can you hear me|"
        r"is anyone there|you there)(?: jarvis)?$",
    ),
    (
        Intent.GOODBYE,
        r"^(?:bye|bye bye|goodbye|good bye|see you|see you later|good night|that is all|"
        r"that will be all|talk (?:to you )?later|that was all|over and out)(?: .{0,20})?$",
    ),
    (
        Intent.THANKS,
        r"^(?:(?:great|good|nice|perfect|cool|awesome|excellent|fine|lovely|wonderful|okay|"
        r"ok|alright|very|well done|that is|all) ?)*(?:thanks|thank you|cheers|great|nice|"
        r"perfect|cool|awesome|excellent|well done|good job|good work|lovely|good)"
        r"(?: (?:so|very) much| a lot| jarvis| for that)*$",
    ),
    (
        Intent.ACKNOWLEDGED,
        r"^(?:ok|okay|alright|right|i see|got it|sure|yes|yeah|yep|no|nope|mm|mhm|"
        r"uh huh|fine|understood|never ?mind|forget it|stop|be quiet|quiet|shush|"
        r"enough|that is enough|wait|hold on|all right|i understand)$",
    ),
    (
        Intent.IDENTITY,
        r"\bwho are you\b|\bwhat are you$|\bwhat can (?:you|i) (?:do|ask|say|tell)\b|^help"
        r"(?: me)?$|\bhow do you work\b|\bwhat do you (?:know|do)$|\byour name\b|"
        r"\bwhat (?:should|could|may) i ask\b",
    ),
    (
        Intent.REMAINING_TIME,
        r"\bhow (?:much )?long(?:er)? (?:will|until|till|does|more|to go|before|do)\b|"
        r"\bwhen will\b|\bhow much (?:longer|more time|time (?:is )?left|time "
        r"remain)|\beta\b|\bwhen (?:is|does) .{1,12}(?:be )?(?:done|finish|ready)|"
        r"\bhow long is left\b",
    ),
    (
        Intent.ELAPSED,
        r"\bhow long\b|\bhow much time\b|\bsince when\b|\bwhen (?:did|was|has) \w+ ?(?:start|"
        r"begin|begun|finish|end|stop|last|launch)|\brunning time\b|\bwhen was the last\b|"
        r"\bwhen did (?:it|you) last\b",
    ),
    (
        Intent.RUNS,
        r"\b(?:which|what|how many|list|name)(?: all)?(?: the| of the)? (?:other )?(?:runs|"
        r"agents|jobs|sessions|tasks|workers)\b|\bwhat (?:are you|do you) (?:watching|watch|"
        r"following|see|looking at)\b",
    ),
    (
        Intent.CHANGES,
        r"\bwhat (?:has |have |is |did |all )*(?:changed?|new|different|happened|happen)\b|"
        r"\bsince (?:i|we|you|my|the) (?:last|asked|told|spoke|talked)|\bany(?:thing)? "
        r"(?:new|news|updates?|changes?|changed|happened|different)\b|\bdid i miss\b|"
        r"\b(?:has|did) (?:anything|something) (?:change|happen)|\bcatch me up\b|"
        r"\bwhat is the latest\b|\bthe news\b",
    ),
    (
        Intent.COST,
        r"\bcosts?\b|\bspen[dt]\b|\bexpensive\b|\bdollars?\b|\bcents?\b|\bmoney\b|\btokens?\b|"
        r"\bprice\b|\bhow much (?:did|has|have|is|was) it\b(?!.*\b(?:done|left|finish))",
    ),
    (
        Intent.GOAL,
        r"\bwhat (?:did|have|had) (?:i|we) (?:ask|asked|want|request)|\b(?:goal|objective|"
        r"purpose|aim|assignment|brief|prompt)\b|\b(?:asked|told|supposed|meant|trying|want"
        r"ed|instructed) to (?:do|achieve|accomplish|make|work)\b|\bwhat (?:is|was) (?:the|its|"
        r"my) (?:task|job|request|question)\b|\bwhat is (?:this|it|that)(?: run| all)? (?:about|"
        r"for)\b|\bwhat (?:is|was) it (?:asked|told|supposed)\b|\basked (?:it )?for$",
    ),
    (
        Intent.DECISION,
        r"\b(?:did|have|had) (?:i|we)(?: already)? (?:decide|decided|say|said|tell|told|"
        r"choose|chose|chosen|answer|approve|pick|guide|instruct)|\b(?:my|our) (?:decision|"
        r"choice|answer|guidance|instructions?|say)\b|\bi (?:decided|chose)\b|"
        r"\b(?:what|any|which) (?:guidance|decisions?)\b",
    ),
    (
        Intent.DENIALS,
        r"\b(?:den(?:ied|y|ials?)|refused?|refusals?|rejected|reject|blocked|forbidden|"
        r"not allowed|disallowed|prohibited|held|hold back|on hold|holding|vetoed|turned "
        r"down)\b",
    ),
    (
        Intent.FAILURES,
        r"\b(?:fail(?:s|ed|ures?|ing)?|errors?|wrong|problems?|broken?|broke|crash(?:ed|es)?"
        r"|issues?|troubles?|exceptions?|bugs?|mistakes?)\b",
    ),
    (
        Intent.UNCLEAR,
        r"\b(?:unclear|uncertain(?:ty|ties)?|unsure|unknown|open questions?|not sure|doubts?|"
        r"doubtful|ambiguous|confus(?:ed|ing)|not clear|not know|incomplete|missing)\b",
    ),
    (
        Intent.WAITING,
        r"\bwait(?:ing|s)?\b|\bneeds? (?:me|my|any|some|input|help|an answer|from|to know|"
        r"approval)|\bdoes it need|\bshould i\b|\bdo i (?:need|have)\b|\b(?:want|wants) (?:"
        r"from me|me|something|anything)|\bfor me\b|\bstuck\b|\bmy (?:approval|permission|"
        r"input|help|attention)\b|\b(?:question|asking)(?:s)? (?:for )?me\b",
    ),
    (
        Intent.FILES,
        r"\bfiles?\b|\bwhat (?:did|has|have) it (?:written|write|create|created|change|changed|"
        r"edit|edited|modify|modified|touch|touched|save|saved|produce|produced)|\bwhere (?:did|"
        r"has|does|is|was|are) (?:it|the output|the results?|they)(?: (?:write|written|put|"
        r"save|saved|store|stored|go|wrote))?\b",
    ),
    (
        Intent.COMMAND,
        r"\b(?:which|what|how many|what are the|the|last) (?:commands?|tools?|actions?|tool "
        r"calls?|calls?)\b|\bwhat (?:did|has|have|does) it (?:just )?(?:run|ran|execute|"
        r"executed|call|use|used|do|done)\b|\btool calls?\b",
    ),
    (
        Intent.SAID,
        r"\bwhat (?:did|does|has|have|is) (?:" + _IT + r")" + _FILL + r" (?:say|says|said|saying|"
        r"tell|told|report|reported|reply|replied|answer|answered|write back)\b|\b(?:last|latest|"
        r"final) (?:message|words|thing it said|answer|reply)\b|\bread (?:me )?(?:its|the) "
        r"(?:message|answer|words)\b",
    ),
    (
        Intent.PROGRESS,
        r"\bhow far\b|\bprogress\b|\bhow (?:much|many)\b.*\b(?:left|remain\w*|done|finished|"
        r"steps?|to go)\b|\bpercent\w*\b|\bwhat (?:is|remains) (?:left|remaining|next|still)"
        r"|\bhow (?:close|near)\b|\b(?:plan|steps?|halfway|half way|to do list|todo list)\b|"
        r"\b(?:nearly|almost) (?:done|there|finished)\b|\bwhat comes next\b|\bwhat remains\b",
    ),
    (
        Intent.DONE,
        r"\b" + _BE + " " + _IT + _FILL + r" (?:be )?(?:done|finish|finished|complete|completed|"
        r"ready|over|ended|succeed|succeeded|successful|a success|work|worked|work out|through)\b"
        r"|^(?:(?:all )?done|finished|ready|complete)(?: yet| now| already)?$|\bis that it$|"
        r"\bhas finished\b|^(?:it|they) (?:is|are) (?:done|finished)(?: yet)?$",
    ),
    (
        Intent.NOW,
        r"\bwhat "
        + _BE
        + " "
        + _IT
        + _FILL
        + r" (?:do|doing|up to|working on|running|busy with|at)"
        r"\b|\bdoing\b.*\bnow\b|\bright now\b|\bat the moment\b|\bcurrently\b|^what now$|"
        r"\bbusy with\b|\bcurrent (?:action|step|state)\b|\bworking on\b|^doing what$",
    ),
    (
        Intent.FINDINGS,
        r"\bwhat (?:did|has|have|does|is|are|was|were) " + _IT + _FILL + r" (?:find|finds|found|"
        r"finding|discover|discovered|learn|learned|see|saw|seen|get|got|notice|noticed|"
        r"conclude|concluded|figure|come up|show|return|turn up|produce)\b|\b(?:findings|"
        r"results?|outcome|output|conclusions?|evidence|discover(?:y|ies))\b|"
        r"\b(?:find|found) (?:out )?(?:anything|something)\b",
    ),
    (
        Intent.STATUS,
        r"\bhow " + _BE + " " + _IT + _FILL + r"(?: (?:going|go|goes|doing|do|coming|come|looking|"
        r"look|getting|went|work|working|run|running|stand|standing))?(?: along| on| out| so "
        r"far| today| now| there| with (?:it|that))*$|\bhow goes it\b|\b(?:status|summary|"
        r"summari[sz]e|overview|sum up|recap|state of (?:things|play|affairs))\b|\bbrief me\b|"
        r"\b(?:an?|any|the) update\b|\bupdate me\b|\bup to speed\b|\bwhere (?:are|do|does|is) "
        r"(?:we|things|it|that|you|everything)(?: \w+)?(?: at| now| stand| with it)*$|\b"
        + _BE
        + " "
        + _IT
        + _FILL
        + r" (?:ok|okay|fine|alright|all right|well|good|going well|in order|"
        r"on track|running|working|alive|going|moving|active|hanging|still there|dead)\b|"
        r"\bwhat is (?:going on|happening|up|the (?:state|story|deal|situation|news))\b|"
        r"\bstill (?:running|working|going|alive|busy)\b|^(?:report|update|news|well|and now)$|"
        r"\bhow (?:are|is) (?:things|it)\b",
    ),
    (
        Intent.WHY,
        r"^(?:but )?why\b|\bhow come\b|\bwhat (?:is|was) the (?:reason|cause)\b|"
        r"\bfor what reason\b",
    ),
    (
        Intent.STEER,
        r"^(?:(?:can|could|would|will) you )?(?:please )?(?:stop|cancel|pause|kill|abort|restart|"
        r"retry|start|tell (?:it|him|her|them|the agent|claude) |ask (?:it|him|the agent|claude) "
        r"|make it|have it|let it|approve|deny|allow|reject|run|delete|deploy|undo|change|write|"
        r"use|do not let)\b",
    ),
)

"""Words that a question about a run is made of, so that any other word stands out. Data only.

A question that points at a thing outside this list ("the deployment", "in Paris") and outside the
run's own texts is about something that the narrator cannot see.
"""

from __future__ import annotations

_GRAMMAR = """
a about after again ago all almost along already also am an and another any anybody anyone
anything are around as ask asked at away back be because been before being between both but by
can could did do does doing done down each eight either else enough even ever every everybody
everyone everything far few fifth first five for four fourth from get gets getting give gives go
goes going gone good got had has have having he hear heard her here him his how i if in into is
it its just keep keeps kind know known last later least left less let like little long longer
look looking looks lot made make makes making many may maybe me mean means meant might mind mine
more most much must my need needs never new next nine no nobody none nor not nothing now of off
okay on once one ones only open or other others our out over own part please put quite rather
real really right said same saw say says second see seen set seven she should show shows side
since six so some somebody someone something soon still such sure take takes tell tells ten than
thank thanks that the their them then there these they thing things think third this those three
through till time times to today together told too took toward trying turn turned two under
until up upon us use used very want wants was way we well went were what whatever when where
whether which while who whole whose why will with within without would yes yet you your yours
"""
_TALK = """
beginning bit case computer course day days detail details end ending evening example fact front
future hour hours idea instance interim jarvis line long machine matter meantime meanwhile
middle minute minutes moment moments morning night past person place point present question
questions reason reasons rest road seconds short sort stage start state status story subject sum
summary tomorrow tonight topic total track user view voice week weeks word words world yesterday
"""
_RUN = """
achieve act action actions active agent agents aim alive allowed ambiguous answer answers
approval approve approved asking asks assignment attention background began begin begun behind
blocked brief broke broken bug bugs busy call called calls cancel cancelled catch caught cause
cent cents change changed changes choice choose chose chosen claude clear clearly codex come
comes coming command commands complete completed conclude concluded conclusion confused
confusing continue cost costs count crash crashed create created current currently decide
decided decides decision decisions denial denials denied deny discover discovered dollar dollars
doubt doubts edit edited error errors evidence exactly exception exceptions executed expensive
explain fail failed failing fails failure failures feedback figure file files find finding
findings finds fine finish finished follow found given goal goals guidance guide halfway happen
happened happening happens held help hold holding idle information input instruction
instructions issue issues job jobs latest launch launched list live many message messages miss
missed missing mistake mistakes modified modify money move moving name names news number
objective objectives outcome output outputs overview paused percent percentage permission
picture plan planned planning plans possible price problem problems proceed process produce
produced progress project prompt proposed purpose quick quickly ready recap recently refused
reject rejected remain remaining remains repeat reply report reported request requested requests
result results retry return returned run running runs saved saying session sessions shown
situation slow spend spent started starting step steps stop stopped stored stuck succeed
succeeded success successful successfully summarise summarize supposed task tasks tested things
thinking thought token tokens tool tools touch touched trouble try uncertain uncertainty unclear
understand unknown unsure update updates wait waited waiting waits watch watched watching whats
work worked worker workers working works worried write writes writing written wrong wrote
"""
ORDINARY = frozenset(f"{_GRAMMAR} {_TALK} {_RUN}".split())

_HEARD_NEARLY = """
failed changed progress denied waiting finished unclear status doing going command decided
happened problem problems errors running summary uncertain stuck files found cost asked
"""
KEYWORDS = tuple(_HEARD_NEARLY.split())
"""Words that decide what is asked: a recognizer's word that misses one by a letter becomes it."""

_NOT_KEYWORDS = """
about above after again along also anything asking before being between bring change charge
charged could denies during either every everything fields filed finds first found going
having house kinds leave never nothing other plans quite right sound sounds still stuff
taking thing things think those three today under until using waits wants where which while
whole whose would write wrong years coming tests passed posted lost most host forced closed
based wasted tasked basked masked paste past task tiles tiled miles
"""
LOOKALIKES = frozenset(_NOT_KEYWORDS.split())
"""Words in their own right although a keyword is one letter away."""

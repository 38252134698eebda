"""The probes of the voice: how quick, how patient, how well-mannered. All from recorded sound.

    recipe -> speaker -> corpus -> cases -> a setting (files, room, websocket) -> takes -> measures

recipe.py      the seeded recipe: what is said, by whom, with which pauses, in which noise
speaker.py     Kokoro voices speak it, with exact marks; kept in the cache folder
corpus.py      cases of the three probes, ready to be played
sounds.py      coughs, doors, babble, rooms: sound without words
human.py       recordings of people, when a folder with them is named
play.py        a user who speaks into a setting, and what was recorded
files.py, room.py, websocket.py   the three settings
sequential.py  the reference: one stage after the other, from the same engines
tap.py         what the synthesizer gave, so that it is found again in the recording
measures.py    from recordings to figures
latency.py, turns.py, duplex.py   the probes; *_report.py what they show
record.py      the record in JSON, with the machine and all versions; limits for releases
"""

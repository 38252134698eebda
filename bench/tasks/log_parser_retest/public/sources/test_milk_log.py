import unittest

from milk_log import celsius, farm_totals, join_lines, number, read_log

LOG = """DAY 2024-04-02
23:50:00 OPEN seq=7 farm=F01
23:51:00 FLOW seq=7 l=100.0 t=4.4
23:52:00 FLOW seq=7 l=220.0 t=5.1
23:53:00 FLOW seq=7 l=300.0 t=4.8
23:54:00 CLOSE seq=7 l=310.0
00:10:00 OPEN seq=8 farm=F02
00:11:00 FLOW seq=8 l=1.050,5 t=50.0F
"""


class MilkLog(unittest.TestCase):
    def test_continued_line(self):
        self.assertEqual(join_lines("a b\n+ c=1\nd"), ["a b c=1", "d"])

    def test_copy_is_dropped(self):
        self.assertEqual(join_lines("a\nb\na\nc"), ["a", "b", "c"])

    def test_numbers_of_a_tanker(self):
        self.assertEqual(number("1204.5"), 1204.5)

    def test_numbers_of_a_trailer(self):
        self.assertEqual(number("1.204,5"), 1204.5)

    def test_fahrenheit(self):
        self.assertEqual(celsius("41.0F"), 5.0)

    def test_warmest_counts(self):
        self.assertEqual(read_log(LOG)[0]["warmest"], 5.1)

    def test_midnight(self):
        self.assertEqual(read_log(LOG)[1]["opened"], "2024-04-03T00:10:00")

    def test_cut_off(self):
        row = read_log(LOG)[1]
        self.assertEqual((row["state"], row["litres"]), ("cut", 1050.5))

    def test_pay(self):
        rows = [
            {"farm": "F01", "litres": 100.0, "warmest": 6.0, "state": "ok"},
            {"farm": "F01", "litres": 0.0, "warmest": 4.0, "state": "void"},
            {"farm": "F02", "litres": 50.0, "warmest": 6.1, "state": "cut"},
        ]
        self.assertEqual(farm_totals(rows), {"F01": (1, 100.0, 52.0), "F02": (1, 50.0, 22.0)})


if __name__ == "__main__":
    unittest.main()

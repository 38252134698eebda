import unittest
from decimal import Decimal

from kerf import parse_length, plan_cuts, price


class Kerf(unittest.TestCase):
    def test_metres(self):
        self.assertEqual(parse_length("2.4 m"), 2400)

    def test_comma(self):
        self.assertEqual(parse_length("2,45 m"), 2450)

    def test_feet_and_inches(self):
        self.assertEqual(parse_length("7 ft 10 in"), 2388)

    def test_no_length(self):
        with self.assertRaises(ValueError):
            parse_length("a yard")

    def test_longest_first(self):
        self.assertEqual(plan_cuts([400, 900, 500], 1000), [[900], [500, 400]])

    def test_board_that_is_filled(self):
        self.assertEqual(plan_cuts([500, 497], 1000), [[500, 497]])

    def test_list_of_the_caller(self):
        pieces = [300, 700]
        plan_cuts(pieces, 2000)
        self.assertEqual(pieces, [300, 700])

    def test_too_long(self):
        with self.assertRaises(ValueError):
            plan_cuts([1200], 1000)

    def test_whole_board(self):
        self.assertEqual(price([[2000, 1800]], 4000, "3.85"), Decimal("15.40"))

    def test_taken_back(self):
        self.assertEqual(price([[3000]], 4000, "2.00"), Decimal("7.00"))


if __name__ == "__main__":
    unittest.main()

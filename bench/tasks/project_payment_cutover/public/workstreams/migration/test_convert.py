"""What the converter has to do; run with the folder of convert.py on PYTHONPATH."""

import unittest

import convert


class Times(unittest.TestCase):
    def test_milliseconds(self):
        self.assertEqual(convert.created_utc("1727963109000"), "2024-10-03T13:45:09Z")

    def test_offsets_are_taken_off(self):
        self.assertEqual(convert.created_utc("2024-10-03T22:45:09+09:00"), "2024-10-03T13:45:09Z")
        self.assertEqual(convert.created_utc("2024-10-03T13:45:09Z"), "2024-10-03T13:45:09Z")


class Amounts(unittest.TestCase):
    def test_both_ways_of_writing(self):
        self.assertEqual(convert.minor("1.234,50", "eu", 2), 123450)
        self.assertEqual(convert.minor("1,234.50", "us", 2), 123450)

    def test_digits_of_the_currency(self):
        self.assertEqual(convert.minor("12,400", "us", 0), 12400)
        self.assertEqual(convert.minor("7,125", "eu", 3), 7125)

    def test_no_cent_is_lost(self):
        self.assertEqual(convert.minor("1,148.29", "us", 2), 114829)
        self.assertEqual(convert.minor("4.35", "us", 2), 435)


class Rows(unittest.TestCase):
    def row(self, **other):
        row = {"id": "X2", "created": "0", "merchant": "M", "currency": "EUR", "amount": "1.00"}
        return {**row, "format": "us", "kind": "charge", "state": "settled", **other}

    def test_money_that_goes_back_is_below_zero(self):
        for kind in ("refund", "chargeback"):
            self.assertEqual(convert.converted(self.row(kind=kind), {"EUR": 2})[-1], -100)

    def test_failed_ones_stay_out_and_ids_are_in_order(self):
        rows = [self.row(), self.row(id="X1"), self.row(id="X0", state="failed")]
        self.assertEqual([row["id"] for row in convert.wanted(rows)], ["X1", "X2"])


if __name__ == "__main__":
    unittest.main()

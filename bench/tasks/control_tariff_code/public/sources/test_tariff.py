"""Run with: python3 -m unittest test_tariff (in the folder of tariff.py)."""

import unittest
from decimal import Decimal

import tariff


class Steps(unittest.TestCase):
    def test_first_step(self):
        self.assertEqual(tariff.by_steps(4), Decimal("4.80"))

    def test_second_step(self):
        self.assertEqual(tariff.by_steps(25), Decimal("39.75"))

    def test_third_step(self):
        self.assertEqual(tariff.by_steps(40), Decimal("75.00"))


class Meter(unittest.TestCase):
    def test_used(self):
        self.assertEqual(tariff.used(120, 155), 35)

    def test_rollover(self):
        self.assertEqual(tariff.used(99990, 12), 22)


class Bill(unittest.TestCase):
    def test_whole_period(self):
        self.assertEqual(tariff.bill(100, 110), Decimal("17.66"))

    def test_half_period(self):
        self.assertEqual(tariff.bill(100, 110, days=45), Decimal("15.25"))

    def test_exempt(self):
        self.assertEqual(tariff.bill(100, 110, exempt=True), Decimal("16.50"))


if __name__ == "__main__":
    unittest.main()

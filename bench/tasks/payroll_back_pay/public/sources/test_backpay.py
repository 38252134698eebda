import unittest
from decimal import Decimal

import backpay


class BackPay(unittest.TestCase):
    def test_hours_with_a_point(self):
        self.assertEqual(backpay.hours("7.5"), Decimal("7.5"))

    def test_hours_as_on_a_clock(self):
        self.assertEqual(backpay.hours("7:30"), Decimal("7.5"))

    def test_wage_before_the_raise(self):
        self.assertEqual(backpay.wage("A", "2025-03"), Decimal("14.20"))

    def test_wage_with_the_first_raise(self):
        self.assertEqual(backpay.wage("B", "2025-04"), Decimal("17.52"))

    def test_second_raise_begins_in_july(self):
        self.assertEqual(backpay.wage("C", "2025-07"), Decimal("20.43"))

    def test_no_surcharge_on_the_allowance(self):
        paid = backpay.pay(Decimal(10), "A", "2025-05", "evening", senior=True)
        self.assertEqual(paid, Decimal("183.24"))

    def test_half_a_cent_goes_up(self):
        self.assertEqual(backpay.pay(Decimal("3.75"), "B", "2025-07", "normal"), Decimal("66.64"))
        self.assertEqual(backpay.pay(Decimal("2.5"), "C", "2025-09", "normal"), Decimal("51.08"))
        self.assertEqual(backpay.pay(Decimal("4.5"), "A", "2025-04", "normal"), Decimal("66.47"))

    def test_parts_are_rounded_down(self):
        self.assertEqual(
            backpay.parts(Decimal("200.00"), 3),
            [Decimal("66.66"), Decimal("66.66"), Decimal("66.68")],
        )

    def test_limit_itself_is_taxed_low(self):
        self.assertEqual(backpay.withheld(Decimal("150.00")), Decimal("27.00"))


if __name__ == "__main__":
    unittest.main()

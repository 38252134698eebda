"""What the rating program has to do; run with the folder of rating.py on PYTHONPATH."""

import unittest

import rating


class Readings(unittest.TestCase):
    def test_inches_become_millimetres(self):
        self.assertAlmostEqual(rating.in_mm("0.4000", "in"), 10.16)
        self.assertAlmostEqual(rating.in_mm("9.10", "mm"), 9.10)

    def test_lost_coupling_is_void(self):
        rows = [{"thickness": "3.0", "remark": "coupling lost"}, {"thickness": "9.0", "remark": ""}]
        self.assertEqual(rating.valid(rows), rows[1:])

    def test_three_smallest_count(self):
        self.assertAlmostEqual(rating.remaining([11.0, 8.0, 9.0, 10.0, 12.0]), 9.0)


class Ratings(unittest.TestCase):
    def test_limits_belong_to_the_worse_rating(self):
        self.assertEqual([rating.rating(loss) for loss in (25.0, 12.0, 11.9)], ["replace", "watch", "ok"])

    def test_a_panel_is_rated(self):
        panels = [{"panel": "X1", "nominal_mm": "12.0"}]
        readings = [
            {"panel": "X1", "unit": "mm", "thickness": text, "remark": ""}
            for text in ("9.0", "9.0", "9.0", "11.5")
        ]
        self.assertEqual(rating.rate(panels, readings), [["X1", 4, "9.00", "25.0", "replace"]])


if __name__ == "__main__":
    unittest.main()

"""Draws the results of the SQL files in this folder as SVG files: funnel, waits, failures and cost.

Usage: charts.py EXPORT FOLDER
EXPORT is a folder that "renderctl log export --parquet" has written.
"""

import json
import pathlib
import subprocess
import sys

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
RENDERCTL = HERE.parents[1] / "renderctl"
COLOUR = "#3b6ea8"
MAX_ACCOUNTS = 8


def answer(export, name):
    call = [RENDERCTL, "log", "sql", "--file", HERE / f"{name}.sql", "--export", export, "--json"]
    return json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)


def bars(axes, labels, values, unit):
    drawn = axes.barh(labels, values, color=COLOUR)
    axes.bar_label(drawn, fmt="{:,.4g}", padding=3)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    if unit == "renders":
        axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel(unit)


def funnel(axes, rows):
    axes.set_title("How far renders came")
    bars(axes, [row["status"] for row in rows], [row["renders"] for row in rows], "renders")


def waits(axes, rows):
    axes.set_title("How long renders were in each status")
    unit = "seconds: half of the renders (bar), nine of ten (line)"
    bars(axes, [row["status"] for row in rows], [row["half"] for row in rows], unit)
    for place, row in enumerate(rows):
        axes.plot([row["half"], row["nine_of_ten"]], [place + 0.3, place + 0.3], color="#222222", linewidth=2)


def failures(axes, rows):
    axes.set_title("Why renders failed")
    bars(axes, [f"{row['code']} ({row['stage']})" for row in rows], [row["renders"] for row in rows], "renders")


def cost(axes, rows):
    axes.set_title("What renders have cost, by account")
    days = sorted({row["day"] for row in rows})
    totals = {}
    for row in rows:
        totals[row["account"]] = totals.get(row["account"], 0) + row["credits"]
    largest = sorted(totals, key=totals.get, reverse=True)[:MAX_ACCOUNTS]
    below = dict.fromkeys(days, 0)
    for account in [*largest, "others"]:
        heights = dict.fromkeys(days, 0)
        for row in rows:
            if row["account"] == account or (account == "others" and row["account"] not in largest):
                heights[row["day"]] += row["credits"]
        if any(heights.values()):
            axes.bar(days, heights.values(), bottom=list(below.values()), label=account, width=0.6)
            below = {day: below[day] + heights[day] for day in days}
    axes.set_ylabel("credits")
    axes.margins(x=0.3)
    if rows:
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)


def main(export, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for draw in (funnel, waits, failures, cost):
        figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
        draw(axes, answer(export, draw.__name__))
        axes.spines[["top", "right"]].set_visible(False)
        path = folder / f"{draw.__name__}.svg"
        figure.savefig(path)
        print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])

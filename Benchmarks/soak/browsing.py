"""A browser that flings through the gallery, stops, views a picture, goes on, and sometimes reloads the page."""

import random
import sys

from fling.visit import browser

FLINGS_A_PAGE = 40


def fling(page, chance: random.Random):
    """Two seconds of wheel scrolling in one direction, as fast as a hand, and a pause."""
    direction = chance.choice([1, 1, -1])
    for _ in range(40):
        page.mouse.wheel(0, direction * chance.randrange(200, 2_500))
        page.wait_for_timeout(50)
    page.wait_for_timeout(chance.randrange(300, 2_000))


def look(page):
    page.locator(".slot[data-index]:visible").first.click(timeout=2_000)
    page.wait_for_timeout(500)
    page.keyboard.press("Escape")


def main(port: int):
    from playwright.sync_api import Error
    chance, flings = random.Random(port), 0
    with browser() as chromium:
        while True:
            page = chromium.new_page(viewport={"width": 1280, "height": 860})
            try:
                page.goto(f"http://127.0.0.1:{port}/")
                page.wait_for_selector(".slot[data-index]")
                for number in range(FLINGS_A_PAGE):
                    fling(page, chance)
                    flings += 1
                    print(flings, flush=True)
                    if number % 5 == 4:
                        look(page)
            except Error as error:
                print(f"the page: {error}", file=sys.stderr)
            page.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))

"""The page's end of the stream, against a server played by the test: messages that are late, duplicated or invalid."""

import base64
import io
import threading

import pytest
from PIL import Image

from front import Frames

# In seconds; generous, because the machine may be busy.
PATIENCE = 30
COLOURS = [(200, 40, 60), (40, 180, 150), (60, 80, 200), (240, 220, 150)]


def picture(colour, side=64) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (side, side), colour).save(file, "png")
    return file.getvalue()


def token(number: int) -> bytes:
    return number.to_bytes(16)


def written(number: int) -> str:
    return base64.urlsafe_b64encode(token(number)).decode()[:22]


def image(number: int) -> str:
    return f"{number:013d}"


class Play:
    """A server that greets, waits for the first viewport, and then does what the test says."""

    def __init__(self):
        self.peer = None
        self.viewport = None
        self.heard: list[dict] = []
        self.catalog = {"revision": 1, "total": 10_000}
        self._ready = threading.Event()
        self._more = threading.Condition()

    def __call__(self, peer):
        peer.say(type="session", session="S", revision=1, total=10_000)
        self.viewport = peer.hear("viewport")
        self.peer = peer
        self._ready.set()
        while message := peer.hear():
            with self._more:
                self.heard.append(message)
                self._more.notify_all()

    def until_ready(self):
        assert self._ready.wait(PATIENCE)
        return self.peer

    def until_heard(self, kind: str, **members) -> dict:
        """The first message of that kind with these members."""
        def first():
            return next((message for message in self.heard if message["type"] == kind
                         and members.items() <= message.items()), None)

        with self._more:
            assert self._more.wait_for(first, PATIENCE), f"no {kind} message arrived"
            return first()

    def assign(self, *lines, revision=1, version=None):
        """Each line is a slot, its image's number and its token's number."""
        tokens = [{"slot": slot, "image": image(one), "name": f"image {one}", "token": written(ticket)}
                  for slot, one, ticket in lines]
        self.peer.say(type="tokens", revision=revision, tokens=tokens)


@pytest.fixture
def play(visit, demo, relay):
    """A page in front of a server played by the test. Catalog pages never arrive: only the stream assigns slots."""
    play = Play()
    through = relay(demo, play)

    def before(page):
        page.route("**/api/v1/images?*", lambda route: route.fulfill(
            json={"offset": 0, "images": [], "next": None, **play.catalog}))

    play.frames = []
    front = visit(through, before=lambda page: (play.frames.append(Frames(page)), before(page)))
    play.until_ready()
    return front, play


def colour_of(front, index: int):
    """The colour in the middle of the slot's picture or preview."""
    return front.slot(index).evaluate("""(slot) => {
        const shown = slot.querySelector('img') ?? slot.querySelector('canvas:not([hidden])');
        if (!shown) return null;
        const context = new OffscreenCanvas(1, 1).getContext('2d');
        context.drawImage(shown, 0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
    }""")


def until_phase(front, index, phase):
    front.until("([index, phase]) => document.querySelector(`.slot[data-index='${index}']`)?.dataset.phase === phase",
                [index, phase])


def test_the_first_viewport_describes_the_screen(play):
    front, play = play
    assert play.viewport["first"] == 0
    assert 10 < play.viewport["count"] < 100
    assert play.viewport["velocity"] == 0
    assert play.viewport["pixels"] > 100


def test_the_name_precedes_the_preview_and_the_preview_precedes_the_tile(play):
    front, play = play
    play.assign((3, 3, 103))
    front.until("() => document.querySelector(`.slot[data-index='3']`).ariaLabel === 'image 3, picture 4'")
    play.peer.send(token(103), "preview", picture(COLOURS[0]), format="png")
    until_phase(front, 3, "preview")
    assert colour_of(front, 3) == list(COLOURS[0])
    play.peer.send(token(103), "tile", picture(COLOURS[1], 320), format="png", ends=True)
    until_phase(front, 3, "displayed")
    assert colour_of(front, 3) == list(COLOURS[1])


def test_a_picture_that_arrives_before_its_slot_exists_is_shown_with_the_slot(play):
    front, play = play
    play.assign((5_000, 50, 150))
    play.peer.send(token(150), "preview", picture(COLOURS[2]), format="png")
    play.assign((4, 4, 104))
    play.peer.send(token(104), "preview", picture(COLOURS[0]), format="png")
    until_phase(front, 4, "preview")
    front.go_to(5_001)
    until_phase(front, 5_000, "preview")
    assert colour_of(front, 5_000) == list(COLOURS[2])


def test_a_picture_with_an_old_token_is_never_shown(play):
    front, play = play
    play.assign((2, 2, 102))
    play.assign((2, 9, 109))
    play.peer.send(token(102), "preview", picture(COLOURS[0]), format="png")
    play.peer.send(token(102), "tile", picture(COLOURS[0], 320), format="png", ends=True)
    play.peer.send(token(999), "tile", picture(COLOURS[0], 320), format="png", ends=True)
    play.assign((1, 1, 101))
    play.peer.send(token(101), "tile", picture(COLOURS[1], 320), format="png", ends=True)
    until_phase(front, 1, "displayed")
    assert colour_of(front, 2) is None
    assert front.slot(2).get_attribute("data-phase") == "waiting"
    play.peer.send(token(109), "tile", picture(COLOURS[3], 320), format="png", ends=True)
    until_phase(front, 2, "displayed")
    assert colour_of(front, 2) == list(COLOURS[3])
    assert "image 9" in front.slot(2).get_attribute("aria-label")


def test_a_new_version_replaces_the_old_picture_without_a_gap(play):
    front, play = play
    play.assign((2, 2, 102))
    play.peer.send(token(102), "tile", picture(COLOURS[0], 320), format="png", ends=True, version=1)
    until_phase(front, 2, "displayed")
    play.peer.say(type="tokens", revision=1, tokens=[
        {"slot": 2, "image": image(2), "name": "image 2", "token": written(202), "version": "0000000000002"}])
    until_phase(front, 2, "waiting")
    assert colour_of(front, 2) == list(COLOURS[0])
    play.peer.send(token(202), "tile", picture(COLOURS[1], 320), format="png", ends=True, version=2)
    until_phase(front, 2, "displayed")
    assert colour_of(front, 2) == list(COLOURS[1])
    assert front.slot(2).locator("img").count() == 1


def test_a_cached_picture_is_shown_without_being_sent(play):
    front, play = play
    play.assign((2, 2, 102))
    play.peer.send(token(102), "preview", picture(COLOURS[0]), format="png", version=7)
    play.peer.send(token(102), "tile", picture(COLOURS[0], 320), format="png", ends=True, version=7)
    until_phase(front, 2, "displayed")
    front.go_to(5_001)
    front.go_to(1)
    # The server knows what it has sent, so this slot needs no token.
    play.peer.say(type="tokens", revision=1, tokens=[
        {"slot": 2, "image": image(2), "name": "image 2", "version": "0000000000007"}])
    until_phase(front, 2, "displayed")
    assert colour_of(front, 2) == list(COLOURS[0])


def test_a_problem_is_shown_and_a_retry_can_be_requested(play):
    front, play = play
    play.assign((2, 2, 102))
    play.peer.send(token(102), "tile", b'{"status":502,"title":"No","detail":"The origin is gone."}', problem=True,
                   ends=True)
    until_phase(front, 2, "failed")
    assert "The origin is gone." in front.slot(2).inner_text()
    front.slot(2).get_by_role("button", name="Try again").click()
    until_phase(front, 2, "waiting")
    play.assign((2, 2, 202))
    play.peer.send(token(202), "tile", picture(COLOURS[1], 320), format="png", ends=True)
    until_phase(front, 2, "displayed")
    assert play.until_heard("retry")["slots"] == [2]
    assert "Cannot be shown" not in front.slot(2).get_attribute("aria-label")


def test_undecodable_bytes_fail_the_slot_and_are_not_cached(play):
    front, play = play
    play.assign((2, 2, 102))
    play.peer.send(token(102), "preview", b"no picture", version=5)
    play.peer.send(token(102), "tile", b"no picture", ends=True, version=5)
    until_phase(front, 2, "failed")
    assert play.until_heard("forgot")["images"] == [{"image": image(2), "version": "0000000000005", "renditions": ["tile"]}]


def test_unknown_and_invalid_messages_are_ignored(play):
    front, play = play
    play.peer.say(type="weather", wind=3)
    play.peer._send(1, b"{")
    play.peer._send(1, b"null")
    play.peer._send(2, b"short")
    play.peer._send(2, token(1) + bytes([9, 0, 0, 0]) + bytes(8) + b"of another kind")
    play.assign((2, 2, 102))
    play.peer.send(token(102), "tile", picture(COLOURS[1], 320), format="png", ends=True)
    until_phase(front, 2, "displayed")


def test_received_bytes_are_acknowledged(play):
    front, play = play
    play.assign((2, 2, 102))
    tile = picture(COLOURS[1], 320)
    play.peer.send(token(102), "tile", tile, format="png", ends=True)
    until_phase(front, 2, "displayed")
    assert play.until_heard("received")["bytes"] == 28 + len(tile)


def test_catalog_changes_are_followed(play):
    front, play = play
    play.catalog = {"revision": 4, "total": 10_060}
    play.peer.say(type="catalog", **play.catalog)
    front.until("() => document.querySelector('#position-total').textContent === '10,060'")
    assert play.until_heard("viewport", revision=4)["first"] == 0


def test_pictures_of_a_newer_revision_wait_until_the_page_has_it(play):
    front, play = play
    play.assign((1, 1, 101), (2, 2, 102))
    play.peer.send(token(102), "tile", picture(COLOURS[0], 320), format="png", ends=True)
    until_phase(front, 2, "displayed")
    play.assign((2, 9, 109), revision=2)
    play.peer.send(token(109), "tile", picture(COLOURS[1], 320), format="png", ends=True)
    play.peer.send(token(101), "tile", picture(COLOURS[2], 320), format="png", ends=True)
    until_phase(front, 1, "displayed")
    assert colour_of(front, 2) == list(COLOURS[0])
    play.catalog = {"revision": 2, "total": 10_001}
    play.peer.say(type="catalog", **play.catalog)
    front.until("() => document.querySelector('#position-total').textContent === '10,001'")
    until_phase(front, 2, "displayed")
    assert colour_of(front, 2) == list(COLOURS[1])
    assert front.slot(2).get_attribute("aria-label").startswith("image 9,")


def test_pictures_of_another_view_are_not_shown(play):
    front, play = play
    play.peer.say(type="tokens", revision=1, view="sort=name", tokens=[
        {"slot": 2, "image": image(9), "name": "image 9", "token": written(109)}])
    play.peer.send(token(109), "tile", picture(COLOURS[1], 320), format="png", ends=True)
    play.peer.say(type="catalog", revision=9, total=7, view="sort=name")
    play.assign((1, 1, 101))
    play.peer.send(token(101), "tile", picture(COLOURS[0], 320), format="png", ends=True)
    until_phase(front, 1, "displayed")
    assert colour_of(front, 2) is None
    assert front.slot(2).get_attribute("aria-label") == "picture 3"
    assert front.page.locator("#position-total").inner_text() == "10,000"


def test_a_stream_that_is_always_closed_is_replaced_by_requests(visit, demo, relay):
    through = relay(demo, lambda peer: (peer.say(type="session", session="S", revision=1, total=10_000),
                                        peer.hear("viewport"), peer.close(1008)))
    front = visit(through)
    front.until_way("http")
    front.until_settled()


def is_marked(front, index: int) -> bool:
    """Whether the slot says, visibly and to screen readers, that its picture is incomplete."""
    marked = front.slot(index).locator(".incomplete").is_visible()
    assert marked == front.slot(index).get_attribute("aria-label").endswith(", incomplete")
    return marked


def test_the_incomplete_flag_marks_its_own_slot_only(play):
    front, play = play
    play.assign((2, 2, 102), (3, 3, 103))
    for number in (2, 3):
        play.peer.send(token(100 + number), "preview", picture(COLOURS[0]), format="png", version=7)
        until_phase(front, number, "preview")
    assert not is_marked(front, 2) and not is_marked(front, 3)
    play.peer.send(token(102), "tile", picture(COLOURS[1], 320), format="png", version=7, ends=True, incomplete=True)
    play.peer.send(token(103), "tile", picture(COLOURS[2], 320), format="png", version=7, ends=True)
    for number in (2, 3):
        until_phase(front, number, "displayed")
    assert is_marked(front, 2) and not is_marked(front, 3)
    # A different picture in the same slot does not inherit the mark.
    play.assign((2, 9, 109))
    until_phase(front, 2, "waiting")
    assert not is_marked(front, 2)


def test_a_preview_can_be_marked_before_its_tile_arrives(play):
    front, play = play
    play.assign((3, 3, 103))
    play.peer.send(token(103), "preview", picture(COLOURS[0]), format="png", version=7, incomplete=True)
    until_phase(front, 3, "preview")
    assert is_marked(front, 3)

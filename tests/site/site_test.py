#!/usr/bin/env python3
"""The site as it was built: every link leads to a page and a place on it, nothing is fetched from the
network, and the search knows every page. Usage: site_test.py SITE_FOLDER"""
import html.parser
import json
import pathlib
import sys
import unittest
import urllib.parse

SITE = pathlib.Path(sys.argv[1]).resolve()
FETCHED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}
# Links of the head that a browser does not fetch.
UNFETCHED = {"canonical", "prev", "next", "edit"}


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.fetched, self.places, self.title = [], [], set(), ""
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if "id" in given:
            self.places.add(given["id"])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        for name in ("src", "href"):
            if (tag, name) in FETCHED and given.get(name) and given.get("rel") not in UNFETCHED:
                self.fetched.append(given[name])


PAGES = {path: Page(path) for path in SITE.rglob("*.html")}


def split(link, page):
    """The file that a link of a page leads to, and the place in it."""
    url = urllib.parse.urlsplit(link)
    path = urllib.parse.unquote(url.path)
    base = SITE if path.startswith("/") else page.parent
    target = (base / path.lstrip("/")).resolve() if path else page
    return target / "index.html" if target.is_dir() else target, urllib.parse.unquote(url.fragment)


class Site(unittest.TestCase):
    def test_there_are_pages(self):
        self.assertGreater(len(PAGES), 30)

    def test_every_link_leads_somewhere(self):
        broken = []
        for path, page in PAGES.items():
            for link in page.links + page.fetched:
                if urllib.parse.urlsplit(link).scheme or link.startswith("//"):
                    continue
                target, place = split(link, path)
                if path.name == "404.html" and not target.exists():
                    target = SITE / urllib.parse.urlsplit(link).path.lstrip("/")
                if not target.exists():
                    broken.append(f"{path.relative_to(SITE)}: {link}")
                elif place and target in PAGES and place not in PAGES[target].places:
                    broken.append(f"{path.relative_to(SITE)}: {link}: no such place")
        self.assertEqual(broken, [])

    def test_nothing_comes_from_the_network(self):
        outside = [f"{path.relative_to(SITE)}: {link}" for path, page in PAGES.items()
                   for link in page.fetched if urllib.parse.urlsplit(link).netloc]
        self.assertEqual(outside, [])
        for path in SITE.rglob("*.css"):
            self.assertNotRegex(path.read_text(errors="replace"), r"(@import|url\()\s*['\"]?(https?:)?//")

    def test_the_search_knows_every_page(self):
        found = {entry["location"].split("#")[0]
                 for entry in json.loads((SITE / "search/search_index.json").read_text())["docs"]}
        pages = {str(path.relative_to(SITE)) for path in PAGES} - {"404.html"}
        missing = pages - {name or "index.html" for name in found}
        self.assertEqual(missing, set())

    def test_pictures_are_small(self):
        size = sum(path.stat().st_size for path in SITE.rglob("*.png"))
        self.assertGreater(size, 0)
        self.assertLess(size, 1_000_000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

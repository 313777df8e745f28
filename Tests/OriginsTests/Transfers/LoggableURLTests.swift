import Testing

@testable import Origins

@Suite struct LoggableURLTests {
    @Test(arguments: [
        ("http://host/a/b.jpg", "http://host/a/b.jpg"),
        ("https://host/a.jpg?X-Amz-Signature=abc&b#c", "https://host/a.jpg?…"),
        ("https://host/a.jpg#token", "https://host/a.jpg"),
        ("https://me:pass@host:80/a?b", "https://…@host:80/a?…"),
        ("https://me:pa@ss@host/a@b", "https://…@host/a@b"),
        ("//me:pass@host/a", "//…@host/a"), ("http:me:pass@host", "http:…@host"),
        ("http:\\\\me:pass@host\\a", "http:\\\\…@host\\a"), ("me:pass@host/a?q", "me:…@host/a?…"),
        ("/next/page?token=a", "/next/page?…"), ("?a", "?…"), ("", ""),
    ])
    func `a logged URL has no user, query or fragment`(_ url: String, _ expected: String) {
        #expect(LoggableURL.text(url) == expected)
    }

    @Test func `a long logged URL is truncated`() {
        let text = LoggableURL.text("http://host/" + String(repeating: "a", count: 9_000) + "?secret")
        #expect(text.count < 320 && text.hasSuffix("a…?…"))
    }
}

import Testing

@testable import Origins

@Suite struct FreshnessTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private let now: Int64 = 784_111_777

    private func freshness(
        delay: Int64 = 0, least: Duration = .zero, _ set: (inout ResponseHead) -> Void
    ) -> Freshness {
        var head = ResponseHead(status: 200)
        head.date = "Sun, 06 Nov 1994 08:49:37 GMT"
        set(&head)
        return Freshness(of: head, now: now, delay: delay, heuristic: least ... .seconds(3600))
    }

    @Test func `max-age overrides Expires, and s-maxage is ignored`() {
        let fresh = freshness {
            $0.cacheControl = "public, s-maxage=10, max-age=600"
            $0.expires = "Sun, 06 Nov 1994 09:49:37 GMT"
        }
        #expect(fresh.freshFor == .seconds(600))
        #expect(fresh.mayStore)
    }

    @Test func `Expires is relative to Date`() {
        #expect(freshness { $0.expires = "Sun, 06 Nov 1994 08:50:37 GMT" }.freshFor == .seconds(60))
        #expect(freshness { $0.expires = "0" }.freshFor == .zero)
    }

    @Test func `the age and the response delay are subtracted`() {
        let fresh = freshness(delay: 5) {
            $0.cacheControl = "max-age=100"
            $0.age = "30"
        }
        #expect(fresh.freshFor == .seconds(65))
        let old = freshness {
            $0.cacheControl = "max-age=100"
            $0.date = "Sun, 06 Nov 1994 08:48:37 GMT"
        }
        #expect(old.freshFor == .seconds(40))
    }

    @Test func `no-store and no-cache are respected`() {
        let forbidden = freshness { $0.cacheControl = "max-age=60, No-Store" }
        #expect(!forbidden.mayStore && forbidden.freshFor == .zero)
        let revalidated = freshness { $0.cacheControl = "no-cache, max-age=60" }
        #expect(revalidated.mayStore && revalidated.freshFor == .zero)
    }

    @Test(
        arguments: [
            ("max-age=60", false), ("max-age=60, Must-Revalidate", true), ("no-cache", true),
            ("max-age=60, proxy-revalidate", false), ("", nil),
        ] as [(String, Bool?)])
    func `the ban on stale use is derived from the cache control`(control: String, mustRevalidate: Bool?) {
        #expect(freshness { $0.cacheControl = control }.mustRevalidate == mustRevalidate)
    }

    @Test func `heuristic freshness is a tenth of the age, within bounds`() {
        #expect(freshness { $0.lastModified = "Sun, 06 Nov 1994 08:39:37 GMT" }.freshFor == .seconds(60))
        #expect(freshness { $0.lastModified = "Sun, 06 Nov 1990 08:39:37 GMT" }.freshFor == .seconds(3600))
        #expect(freshness { $0.lastModified = "Sun, 06 Nov 2050 08:39:37 GMT" }.freshFor == .zero)
        #expect(freshness { _ in }.freshFor == .zero)
    }

    @Test func `the minimum freshness applies only when the origin specifies none`() {
        let least = Duration.seconds(300)
        #expect(freshness(least: least) { _ in }.freshFor == least)
        #expect(freshness(least: least) { $0.lastModified = "Sun, 06 Nov 1994 08:49:30 GMT" }.freshFor == least)
        for control in ["no-cache", "no-store", "max-age=0", "max-age=banana"] {
            #expect(freshness(least: least) { $0.cacheControl = control }.freshFor == .zero)
        }
        #expect(freshness(least: least) { $0.expires = "0" }.freshFor == .zero)
    }

    @Test func `malformed values mean stale, and extreme numbers are harmless`() {
        #expect(freshness { $0.cacheControl = "max-age=banana" }.freshFor == .zero)
        #expect(freshness { $0.cacheControl = "max-age=-5" }.freshFor == .zero)
        #expect(freshness { $0.cacheControl = "max-age=60, max-age=10" }.freshFor == .seconds(10))
        #expect(
            freshness { $0.cacheControl = "max-age=99999999999999999999999" }.freshFor == .seconds(Int64(1) << 31))
        #expect(
            freshness {
                $0.cacheControl = "max-age=60"
                $0.age = "99999999999999999999999"
            }.freshFor == .zero)
        #expect(
            freshness {
                $0.cacheControl = "max-age=60"
                $0.varies = "*"
            }.freshFor == .zero)
    }

    @Test func `commas within quotes do not separate directives`() {
        let control = CacheControl("foo=\"no-store, \\\" max-age=1\", max-age=\"7\"")
        #expect(!control.noStore)
        #expect(control.maxAge == 7)
    }
}

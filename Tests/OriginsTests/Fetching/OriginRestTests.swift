import Testing

@testable import Origins

/// When an origin is left alone because it asked for that.
@Suite struct OriginRestTests {
    private let now = ContinuousClock.now

    @Test func `one refusal is of one picture, and the second with no other answer in between is of the origin`() {
        var rest = OriginRest(longest: .seconds(10))
        #expect(rest.refused(asked: .seconds(2), now: now) == nil)
        rest.answered()
        #expect(rest.refused(asked: .seconds(2), now: now) == nil)
        #expect(rest.isOver(now: now))
        #expect(rest.refused(asked: .seconds(2), now: now) == .seconds(2))
        #expect(!rest.isOver(now: now + .seconds(1.9)))
        #expect(rest.isOver(now: now + .seconds(2)))
    }

    @Test func `what was under way is refused as well, and makes a rest no longer`() {
        var rest = OriginRest(longest: .seconds(10))
        #expect(rest.refused(asked: .seconds(2), now: now) == nil)
        #expect(rest.refused(asked: .seconds(2), now: now) != nil)
        #expect(rest.refused(asked: .seconds(9), now: now + .seconds(1)) == nil)
        #expect(rest.told(asked: .seconds(9), now: now + .seconds(1)) == nil)
        #expect(rest.isOver(now: now + .seconds(2)))
        #expect(rest.refused(asked: .seconds(1), now: now + .seconds(2)) == .seconds(1), "nothing else came meanwhile")
    }

    @Test func `no rest is longer than is allowed, and where no time is told there is none`() {
        var rest = OriginRest(longest: .seconds(10))
        #expect(rest.told(asked: .seconds(3_600), now: now) == .seconds(10))
        var other = OriginRest(longest: .seconds(10))
        for asked in [nil, Duration.zero] {
            for _ in 0..<3 { #expect(other.refused(asked: asked, now: now) == nil) }
        }
        #expect(other.isOver(now: now))
    }
}

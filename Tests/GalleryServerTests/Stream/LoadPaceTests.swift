import Testing

@testable import GalleryServer

@Suite struct LoadPaceTests {
    /// Loads of a source that takes `seconds` for each as long as no more than `capacity` are under way, and for more as
    /// much longer as they are too many.
    private func settled(seconds: Double, capacity: Double, rounds: Int = 60) -> LoadPace {
        var pace = LoadPace()
        var now = 0.0
        for _ in 0..<rounds {
            let underWay = 16 * pace.width
            let took = seconds * max(1, underWay / capacity)
            now += took
            for _ in 0..<Int(underWay) { pace.took(took, at: now) }
        }
        return pace
    }

    @Test func `an origin that waits but is not busy is asked for four times as much at a time`() {
        let pace = settled(seconds: 0.2, capacity: 1_000)
        #expect(pace.width == LoadPace.widest)
        #expect(abs(pace.duration - 0.2) < 0.01)
    }

    @Test func `one that can do no more than it does is asked for no more`() {
        #expect(settled(seconds: 0.2, capacity: 8).width < 2.5)
        let some = settled(seconds: 0.2, capacity: 20).width
        #expect(some > 1.5 && some < 3.9)
    }

    @Test func `what becomes slow is asked for less in one step for each round of answers`() {
        var pace = settled(seconds: 0.1, capacity: 1_000)
        for _ in 0..<40 { pace.took(1, at: 1_000) }
        #expect(pace.width < LoadPace.widest && pace.width > 0.8 * LoadPace.widest)
        for round in 1...40 { pace.took(1, at: 1_000 + 1.5 * Double(round)) }
        #expect(pace.width == 1)
    }

    @Test func `what was quick once is forgotten`() {
        var pace = LoadPace()
        pace.took(0.001, at: 0)
        for number in 1...40_000 { pace.took(0.4, at: Double(number)) }
        #expect(pace.width == LoadPace.widest)
    }

    @Test func `a moment's difference between loads that take next to no time means nothing`() {
        var pace = LoadPace()
        for number in 0..<1_000 { pace.took(number % 2 == 0 ? 0.001 : 0.018, at: Double(number)) }
        #expect(pace.width == LoadPace.widest)
    }
}

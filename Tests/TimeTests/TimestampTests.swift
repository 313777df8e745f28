import Dispatch
import Testing
import Time

@Suite struct TimestampTests {
    @Test(
        arguments: [
            ("2024-05-01T10:00:00Z", 1_714_557_600, 0), ("2024-05-01t10:00:00.25z", 1_714_557_600, 0),
            ("2024-05-01 10:00:00+02:00", 1_714_557_600, 7_200), ("2024-05-01T10:00:00-00:30", 1_714_557_600, -1_800),
            ("1969-12-31T23:59:60Z", 0, 0), ("0001-01-01T00:00:00Z", -62_135_596_800, 0),
        ] as [(String, Int64, Int64)])
    func `a full date and time with its zone is read`(text: String, wall: Int64, offset: Int64) throws {
        let time = try #require(Timestamp(text))
        #expect(time.wallSeconds == wall && time.offset == offset && time.seconds == wall - offset)
    }

    @Test(arguments: [("", 0), (".5", 500_000_000), (".000000001", 1), (".0000000019", 1)] as [(String, Int64)])
    func `a fraction of a second is read`(fraction: String, nanoseconds: Int64) {
        #expect(Timestamp("2024-05-01T10:00:00\(fraction)Z")?.nanoseconds == nanoseconds)
    }

    @Test(arguments: [
        "", "yesterday", "2024-05-01", "2024-05-01T10:00:00", "2024-05-01T10:00Z", "2024-13-01T10:00:00Z",
        "2024-00-01T10:00:00Z", "2024-05-32T10:00:00Z", "2024-05-01T24:00:00Z", "2024-05-01T10:60:00Z",
        "2024-05-01T10:00:61Z", "2024-05-01T10:00:00.Z", "2024-05-01T10:00:00+2:00", "2024-05-01T10:00:00+24:00",
        "2024-05-01T10:00:00+02:60", "2024-05-01T10:00:00ZZ", "2024-05-01T10:00:00.25", "2024/05/01T10:00:00Z",
        "+024-05-01T10:00:00Z", "2024-05-01T10:00:00." + String(repeating: "1", count: 21) + "Z",
    ])
    func `any other text is rejected`(text: String) {
        #expect(Timestamp(text) == nil)
    }
}

@Suite struct CivilDayTests {
    @Test func `each day follows the previous one, over four hundred years and before 1970`() throws {
        var day = try #require(CivilDay(year: 1800, month: 1, day: 1))
        for days in day.sinceEpoch..<day.sinceEpoch + 146_097 {
            #expect(day.sinceEpoch == days && day.exists && CivilDay(ofSecond: day.firstSecond + 86_399) == day)
            let next = CivilDay(sinceEpoch: days + 1)
            #expect(next.day == day.day + 1 || next.day == 1 && day.day >= 28)
            day = next
        }
        #expect(day == CivilDay(year: 2200, month: 1, day: 1))
        #expect(CivilDay(ofSecond: -1) == CivilDay(year: 1969, month: 12, day: 31))
    }

    @Test func `a day missing from its month is distinguished from one that no month has`() {
        #expect(CivilDay(year: 2023, month: 2, day: 29)?.exists == false)
        #expect(CivilDay(year: 2024, month: 2, day: 29)?.exists == true)
        #expect(CivilDay(year: 2024, month: 2, day: 32) == nil && CivilDay(year: 2024, month: 13, day: 1) == nil)
    }
}

@Suite struct DurationUnitsTests {
    @Test func `a duration converts to other units, however long it is`() {
        #expect(Duration.milliseconds(1_500).inSeconds == 1.5)
        #expect((Duration.milliseconds(1_500) + .nanoseconds(999_999)).milliseconds == 1_500)
        #expect(Duration.microseconds(-1_500).milliseconds == -1)
        #expect(Duration.milliseconds(1_500).dispatched == .nanoseconds(1_500_000_000))
        #expect(Duration.seconds(Int64.max).milliseconds > 1 << 59)
        #expect(Duration.seconds(Int64.max).dispatched == .nanoseconds((1 << 32) * 1_000_000_000))
    }
}

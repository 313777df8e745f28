import Metrics
import Testing

struct MetricTests {
    private struct Kitchen: MetricsReporting {
        var cooks = 2
        var dishes = 40

        static let metrics: [Metric<Kitchen>] = [
            .gauge("cooks", "Cooks at work.", \.cooks),
            .counter("dishes", "Dishes served.", \.dishes),
            .gauge("isOpen", "1 while there are cooks.") { $0.cooks > 0 ? 1 : 0 },
        ]
    }

    @Test("Readings are in the order of the list and have the current values")
    func readings() {
        let readings = Kitchen(cooks: 3, dishes: 41).readings
        #expect(readings.map(\.name) == ["cooks", "dishes", "isOpen"])
        #expect(readings.map(\.value) == [3, 41, 1])
        #expect(readings.map(\.kind) == [.gauge, .counter, .gauge])
        #expect(readings[1].help == "Dishes served.")
    }

    @Test("Values are found by name")
    func values() {
        #expect(Kitchen().readings.valuesByName == ["cooks": 2, "dishes": 40, "isOpen": 1])
    }
}

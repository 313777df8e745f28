import Renditions
import Testing

@testable import RenderWorkers

@Suite struct ConfigurationTests {
    @Test func `an error names the value that is out of range`() throws {
        let changes: [(String, (inout RenderPool.Configuration) -> Void)] = [
            ("permits", { $0.permits = 0 }), ("heavyPermits", { $0.heavyPermits = 257 }),
            ("jobsPerWorker", { $0.jobsPerWorker = 0 }), ("threadsPerWorker", { $0.threadsPerWorker = 0 }),
            ("screen", { $0.deadlines.screen = .zero }),
            ("stallTimeout", { $0.stallTimeout = .zero }), ("killTimeout", { $0.killTimeout = .zero }),
        ]
        for (field, change) in changes {
            var configuration = RenderPool.Configuration()
            try configuration.validate()
            change(&configuration)
            #expect { try configuration.validate() } throws: { ($0 as? RenderLimits.Invalid)?.field == field }
        }
    }
}

import Dispatch
import Encodings
import HTTPServer
import HTTPTypes

@testable import GalleryServer

/// The bodies of the two token requests. A malformed body is reported as the client's fault.
enum TokenBodyTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        guard let first = input.first else { return }
        let body = Array(input.dropFirst())
        let done = DispatchSemaphore(value: 0)
        Task {
            if first & 1 == 0 {
                await decode(TokenRequestBody.self, from: body)
            } else {
                await decode(CancelRequestBody.self, from: body)
            }
            done.signal()
        }
        done.wait()
    }

    private static func decode(_ type: (some JSONReadable & Sendable).Type, from body: [UInt8]) async {
        do {
            _ = try await JSONBody.decode(type, from: body)
        } catch let problem as Problem {
            precondition(problem.status.code == 400)
        } catch {
            preconditionFailure("\(error) is no answer for a client")
        }
    }
}

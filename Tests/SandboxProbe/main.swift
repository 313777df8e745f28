import CLinux
import CMemoryWatch
import Glibc
import Sandbox

// sandbox-probe ATTEMPT [all | none | limits | files | calls]
//
// Enters the sandbox, or only the named part of it, as a process that decodes does. Then makes the attempt and prints
// the outcome on one line: `allowed`, `refused ENAME`, or nothing if it was killed. With `none` it enters nothing,
// which shows that the attempt would otherwise succeed.

let arguments = CommandLine.arguments
let walls = arguments.count > 2 ? arguments[2] : "all"
guard
    arguments.count > 1, let attempt = attempts[arguments[1]],
    ["all", "none", "limits", "files", "calls"].contains(walls)
else {
    say("no such attempt")
    exit(2)
}

/// A socket, whose other end is its supervisor's.
let supervisor: Int32 = 3
var beforehand = Beforehand()
cmemorywatch_start { refusedBytes = $0 }
do {
    if walls != "none" {
        try Sandbox.limit(
            Sandbox.Limits(
                memory: 256 << 20, fileLength: 1 << 20, cpuSeconds: 20, descriptors: 64, niceness: 5))
        try Sandbox.dropCapabilities()
    }
    let addressSpace = Sandbox.AddressSpace()
    if walls == "all" || walls == "files" {
        let confined = try Sandbox.confineFiles(to: Sandbox.drawingFiles)
        if !confined, walls == "files" {
            say("no Landlock")
            exit(3)
        }
    }
    // Not earlier: Landlock binds only the calling thread, and so requires that it be the only one.
    beforehand.olderThread = OlderThread()
    if walls != "none" { try addressSpace?.limit(memory: 256 << 20, mappings: 64 << 20) }
    if walls == "all" || walls == "calls", let requests = try Sandbox.confineCalls() {
        // Whoever started the probe supervises its threads.
        let descriptors = requests.descriptors
        clinux_send_packet(supervisor, "threads", 7, descriptors, descriptors.count)
        requests.close()
        beforehand.isSupervised = true
    }
} catch {
    say("not entered: \(error)")
    exit(4)
}

do throws(Refusal) {
    say(try attempt(beforehand))
} catch {
    say("refused \(error.name)")
}
exit(0)

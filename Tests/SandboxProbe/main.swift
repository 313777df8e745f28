import CMemoryWatch
import Glibc
import Sandbox

// sandbox-probe ATTEMPT [all | none | files | calls]
//
// Enters the sandbox as a process that decodes does, or only some of its walls, then makes the attempt and prints in
// one line what came of it: `allowed`, `refused ENAME`, or nothing if it was killed. With `none` it enters nothing,
// which shows that the attempt is one that would work.

let arguments = CommandLine.arguments
let walls = arguments.count > 2 ? arguments[2] : "all"
guard
    arguments.count > 1, let attempt = attempts[arguments[1]], ["all", "none", "files", "calls"].contains(walls)
else {
    say("no such attempt")
    exit(2)
}

var beforehand = Beforehand()
cmemorywatch_start { refusedBytes = $0 }
do {
    if walls != "none" {
        try Sandbox.limit(
            Sandbox.Limits(
                memory: 256 << 20, fileLength: 1 << 20, cpuSeconds: 20, descriptors: 64, niceness: 5))
    }
    if walls == "all" || walls == "files" {
        let confined = try Sandbox.confineFiles(to: Sandbox.drawingFiles)
        if !confined, walls == "files" {
            say("no Landlock")
            exit(3)
        }
    }
    // Not earlier: Landlock binds the calling thread alone, and so wants it to be the only one.
    beforehand.olderThread = OlderThread()
    if walls == "all" || walls == "calls" { try Sandbox.confineCalls() }
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

/// Waits for what can only be looked at, such as a count of open sockets; false after ten seconds.
public func eventually(_ isSo: () -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < deadline {
        if isSo() { return true }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return isSo()
}

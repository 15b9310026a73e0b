package compare

// NewMeter measures a log with a header, and NewTraffic what it takes on the wire.
var (
	NewMeter   = newMeter
	NewTraffic = newTraffic
)

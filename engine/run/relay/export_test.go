package relay

// NameOf returns the name under which servers share an observation.
func NameOf(o Observation) string { return nameOf(o) }

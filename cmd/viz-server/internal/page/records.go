package page

// RecordsProps is what has been recorded of what was observed, the newest first.
type RecordsProps struct {
	Frame
	Tapped       bool   // it was observed through a tap
	Path         string // of which alone they are, empty for all
	Rows         []RecordRow
	All          int    // how many there are
	Bytes, Max   string // what all recordings take, and may take
	Trouble      string // why something is not recorded now, empty if all is
	Zone         string // of all times
	Newer, Older string // addresses of the pages beside this one, empty if there are none
}

// RecordRow is a recording.
type RecordRow struct {
	Name, Cluster, Path     string
	From, To, Events, Bytes string
	Live                    bool // it is being written
	Cut                     bool // its end is missing
}

// RecordProps is a recording on the stage.
type RecordProps struct {
	Frame
	Row RecordRow
}

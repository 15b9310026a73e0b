package page

import "strconv"

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

// LogProps is a log on the stage that this server keeps as a file: a recording, or what a lock has been through.
type LogProps struct {
	Frame
	Path         string // of what it's about
	Title        string
	Said         string // of it in a sentence
	State        RecordRow
	File         string // its address
	Back, Before string // the address of the page that leads here, and its title
	Live         string // where what goes on at the Path is shown; empty for nowhere
	Moment       int64  // that is shown first, in ms since 1970, with the Znode selected; 0 for the log's beginning
	Znode        string
}

// stage is the address of the stage: open.js gives it the file.
func (p LogProps) stage() string {
	if p.Moment == 0 {
		return "/stage?file=1"
	}
	return "/stage?file=1&moment=" + strconv.FormatInt(p.Moment, 10) + "&select=" + query(p.Znode)
}

package page

import "strconv"

// RecordsProps lists the recordings of observations, the newest first.
type RecordsProps struct {
	Frame
	Tapped       bool   // they were observed through a tap
	Path         string // filter, empty for all
	Rows         []RecordRow
	All          int    // number of recordings
	Own          bool   // this server records
	Shares       bool   // there may be others
	Silent       string // how many others should have answered; empty if all have
	Bytes, Max   string // size of all recordings of this server, and its limit
	Trouble      string // why recording fails now, empty if it works
	Zone         string // the time zone of the page
	Newer, Older string // addresses of the neighbouring pages, empty if none
}

// RecordRow is a recording.
type RecordRow struct {
	Name                    string // in addresses
	Cluster, Path           string
	From, To, Events, Bytes string
	Live                    bool // still being written
	Cut                     bool // the end is missing
	Elsewhere               bool // at another server
}

// LogProps is a log on the stage that this server keeps as a file: a recording, or the history of a lock.
type LogProps struct {
	Frame
	Path         string // the log's subject
	Title        string
	Said         string // one sentence about it
	State        RecordRow
	File         string // address of the file
	Back, Before string // address of the previous page, and its title
	Holders      string // address of who held a lock in it; empty for none
	Live         string // address of the live view of Path; empty for none
	Moment       int64  // the first moment to show, in ms since 1970, with Znode selected; 0 for the log's start
	Znode        string
}

// stage returns the address of the stage. open.js gives it the file.
func (p LogProps) stage() string {
	if p.Moment == 0 {
		return "/stage?file=1"
	}
	return "/stage?file=1&moment=" + strconv.FormatInt(p.Moment, 10) + "&select=" + query(p.Znode)
}

package explore

import "strconv"

// Link returns the address of the page's Lab, from the server's root on, with the reproduction right after the
// event that breaks the promise: later in the same moment, what it shows may be over again.
func (f *Finding) Link() string {
	v := f.Violation
	return "/lab?" + f.Scenario.Query() + "&at=" + v.At.String() + "&event=" + strconv.FormatUint(uint64(v.Seq), 10)
}

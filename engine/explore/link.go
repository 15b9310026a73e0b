package explore

// Link opens the page's Lab, from the server's root on, with the reproduction at the moment at which it
// breaks the promise.
func (f *Finding) Link() string {
	return "/lab?" + f.Scenario.Query() + "&at=" + f.Violation.At.String()
}

package page

import (
	"strings"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// ownChoices is how many choices the form for a teacher's own question has room for.
const ownChoices = 6

// ClassesProps is the page that begins classes and leads to them.
type ClassesProps struct {
	Frame
	Begin string            // the page at which a class begins
	Given string            // a name that was given and is none
	Wrong sentence.Sentence // why nothing has begun, or the name is none
}

// ClassDoorProps is where learners join a class, and where its teacher has it.
type ClassDoorProps struct {
	Frame
	Name     string
	Address  string        // the learners' absolute address
	Loopback bool          // only this machine can open it
	Others   []string      // this page's addresses for other machines, if Loopback and the server listens on them
	Place    templ.SafeURL // where the class is
}

// Shown returns the learners' address as a person types it: the server, and the rest. A line may break between.
func (p ClassDoorProps) Shown() [2]string {
	host, path, _ := strings.Cut(strings.TrimPrefix(p.Address, "http://"), "/class/")
	return [2]string{host, "/class/" + path}
}

// NoClassProps is about a class that isn't there, or that can't be looked up.
type NoClassProps struct {
	Frame
	Name string
	Over bool              // it has been there
	Why  sentence.Sentence // nobody knows whether it is there
}

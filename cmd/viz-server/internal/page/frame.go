package page

import (
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/static/strings/words"
)

// Frame is what all pages share: language, words, navigation.
type Frame struct {
	Lang      Lang
	Languages []Language
	Words     words.Words
	Here      string            // the current part of the site: "lessons", "lab", "live", "zoo", "recipes", or empty
	Servers   string            // the operator's ZooKeeper ensemble, empty if none
	Real      string            // the real systems that can run the page's subject, empty if none
	Needs     string            // otherwise the first system that it lacks, an event.SystemKind
	ReadOnly  bool              // the real system may only be observed
	Simulated bool              // only the simulator can run the page's subject
	Base      string            // the prefix of all paths, empty or for example "/zkviz"
	Kinds     map[string]string // the recipe that a fork uses, by the kind of the resource
	NoStage   bool              // this build has no program that draws the stage
	HasPast   bool              // the server has transaction logs to show
	HasTap    bool              // the server has a tap to show
	TapFirst  bool              // the first page is the tap's
	Records   bool              // the server records its observations, or others may
	Among     bool              // there may be other servers of zkviz
	// File returns the name of a file under static with its hash; nil for the plain names.
	File func(name string) string

	Embed  string // the origins of pages that may show this one in a frame, "*" for all, empty for none
	OEmbed string // the address of a description for them, empty for none

	Summary  string    // what the page is about, for search engines and shared links
	Preview  *Preview  // what they show of it; nil for nothing
	Exported *Exported // the page becomes a file; nil on a server
}

// Exported describes a site of files, which no server answers for.
type Exported struct {
	At string // the absolute address of the page, empty if the site's is unknown
}

// Preview is the picture of a page for those who show a link to it.
type Preview struct{ Slug, Anchor, Text string }

// preview returns its address.
func (f Frame) preview() string {
	return f.Base + f.Lang.To("/lessons/"+f.Preview.Slug+"/"+f.Preview.Anchor+".png")
}

// Say returns the interface's sentence for key.
func (f Frame) Say(key string, args ...string) string { return f.Words.Say(key, args...) }

// stageNotes returns the notes on the moving picture, by what becomes of it, with what works without it.
func (f Frame) stageNotes() templ.Attributes {
	works := "stage.without." + f.Here
	if f.Exported != nil && f.Here == "lab" {
		works += ".files"
	}
	without := " " + f.Say(works)
	if f.NoStage {
		return templ.Attributes{"data-failed": f.Say("stage.missing") + without}
	}
	notes := templ.Attributes{"data-loading": f.Say("stage.loading"), "data-plays": f.Say("stage.plays")}
	for _, why := range []string{"slow", "lacks", "host", "sandbox", "fetch", "damaged", "policy", "ended"} {
		notes["data-"+why] = f.Say("stage."+why) + without
	}
	return notes
}

// hostOff explains what is needed to run the page's subject on a real system.
func (f Frame) hostOff() string {
	if f.Needs == "" {
		return f.Say("host.off")
	}
	return f.Say("host.off.node", f.Say("system."+f.Needs), f.Needs)
}

// hostTip names the real systems that can run the page's subject.
func (f Frame) hostTip() string {
	if f.Real == f.Servers {
		return f.Say("host.tip", f.Real)
	}
	return f.Say("host.tip.node", f.Real)
}

// says words a sentence in the page's language.
func (f Frame) says(s sentence.Sentence) string { return sentence.Voice{Say: f.Say}.Says(s) }

// Sentence words a sentence that stands alone, with a capital letter and a full stop.
func (f Frame) Sentence(s sentence.Sentence) string { return sentence.Voice{Say: f.Say}.Alone(s) }

// embeddable returns the frame of a page that other sites may show.
func (f Frame) embeddable(address string) Frame {
	here := string(f.to(address))
	switch {
	case f.Embed == "":
	case f.Exported == nil:
		f.OEmbed = f.Base + "/oembed?url=" + query(here)
	case f.Exported.At != "" && f.Here == "lessons":
		f.OEmbed = here + "/oembed.json"
	}
	return f
}

// Language is one choice of the language switch.
type Language struct {
	Code Lang
	Name string // "English"
	URL  string // this page in that language
}

// ErrorProps is the page for an error.
type ErrorProps struct {
	Frame
	Status int // HTTP status
}

// NeedsProps stands for a page that a site of files can't have.
type NeedsProps struct {
	Frame
	Title, Why string
}

// asset returns the address of a file under static.
func (f Frame) asset(name string) string {
	if f.File != nil {
		name = f.File(name)
	}
	return f.Base + "/static/" + name
}

// program returns the address of the program that draws the stage, empty if this build has none.
func (f Frame) program() string {
	if f.NoStage {
		return ""
	}
	return f.asset("built/stage.wasm")
}

// engine returns what static/ask.js needs to have questions answered in a worker: on a site of files, whose server
// answers none.
func (f Frame) engine() templ.Attributes {
	if f.Exported == nil || f.NoStage {
		return nil
	}
	files := f.worker("engine")
	files["data-lost"] = f.Say("engine.failed", "{0}")
	return files
}

// worker returns the files that static/ask.js starts a program in a worker with.
func (f Frame) worker(program string) templ.Attributes {
	return templ.Attributes{
		"data-worker": f.asset("worker.js"), "data-script": f.asset("built/wasm_exec.js"),
		"data-program": f.asset("built/" + program + ".wasm"), "data-words": f.asset(f.Lang.WordsFile()),
	}
}

// hasStory reports whether what the stage shows has a story: a site of files has nobody to draw it but the page.
func (f Frame) hasStory() bool { return f.Exported == nil || !f.NoStage }

// lessons returns the address of the list of lessons.
func (f Frame) lessons() string {
	if f.TapFirst {
		return "/lessons"
	}
	return "/"
}

// to returns the address of another page in this page's language.
func (f Frame) to(address string) templ.SafeURL { return templ.SafeURL(f.Base + f.Lang.To(address)) }

func itoa(n int) string { return strconv.Itoa(n) }

// query escapes a value for an address.
func query(s string) string { return url.QueryEscape(s) }

// segment is a part of an address's path.
func segment(s string) string { return url.PathEscape(s) }

package page

import (
	"unicode"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/static/strings/words"
)

// Frame is what every page shares: language, words, navigation.
type Frame struct {
	Lang      Lang
	Languages []Language
	Words     words.Words
	Here      string            // which part of the site it is in: "lessons", "lab", "live", "zoo", "recipes", or none
	Servers   string            // the ZooKeeper ensemble that the operator named, empty if none
	Real      string            // where what the page is about can be run on real systems, empty for nowhere
	Needs     string            // else the first of these that it needs, by its event.SystemKind
	ReadOnly  bool              // nothing is run on it, only observed
	Simulated bool              // what the page is about can be run on the simulator alone
	Base      string            // what the path of every address begins with, "" or such as "/zkviz"
	Kinds     map[string]string // which recipe stands for what is forked, by its kind
	NoStage   bool              // the program that draws the stage is not part of this build
	HasPast   bool              // there are files of what has been
	Records   bool              // it is recorded what is observed
	Version   string            // changes when an asset changes; put into the assets' addresses
}

// Say is the interface's sentence for key.
func (f Frame) Say(key string, args ...string) string { return f.Words.Say(key, args...) }

// stageFailed says why there is no moving picture.
func (f Frame) stageFailed() string {
	if f.NoStage {
		return f.Say("stage.missing")
	}
	return f.Say("stage.failed")
}

// hostOff says how what the page is about could be run on a real system.
func (f Frame) hostOff() string {
	if f.Needs == "" {
		return f.Say("host.off")
	}
	return f.Say("host.off.node", f.Say("system."+f.Needs), f.Needs)
}

// hostTip says where what the page is about can be run.
func (f Frame) hostTip() string {
	if f.Real == f.Servers {
		return f.Say("host.tip", f.Real)
	}
	return f.Say("host.tip.node", f.Real)
}

// says is the sentence in the page's language.
func (f Frame) says(s sentence.Sentence) string { return sentence.Voice{Say: f.Say}.Says(s) }

// Sentence is says as a sentence that stands alone: with a capital and a full stop.
func (f Frame) Sentence(s sentence.Sentence) string {
	text := f.says(s)
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

// Language is one choice of the language switch.
type Language struct {
	Code Lang
	Name string // "English"
	URL  string // this page in that language
}

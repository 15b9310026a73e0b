package page

import (
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/lessons"
)

// LabProps is the Lab: a recipe to play with, or the form for it.
type LabProps struct {
	Frame
	Recipes, Pitfalls []string         // to choose from
	Nodes             map[string]Nodes // the nodes of recipes that run on other systems than ZooKeeper
	Recipe            string
	Cure              string // of a pitfall: the correct recipe
	Clients, Rounds   string
	Seed, Hold        string
	Servers           string    // empty for the recipe's usual number
	UsualServers      string    // the recipe's usual number
	Database          string    // for a recipe with tables; empty for its own
	Even              *Even     // what the even number of servers is worth, nil for an odd one
	Flaws             []string  // flaws of the servers, by name
	Shows             string    // address of the smallest run that shows the flaw
	Rules             []LabRule // the rules that a task can ask to break
	Task              LabTask   // zero for none
	Latency, Timeout  string    // empty for the default
	UsualLatency      string
	Arrivals          []string
	Faults            []string
	Hidden            [][2]string // parameters without a field in the form
	SessionTimeout    string      // in the format of a fault's duration: "10s"
	Source            Source
	Query             string            // the scenario, for the stage
	Place             string            // the rest of the stage's address, with the moment to show; empty for the start
	Besides           []Beside          // offered by the stage
	Beside            string            // the run beside it, as given: a recipe, or the parameters that differ
	BesideSeed        string            // empty for the same seed
	Error             sentence.Sentence // why it can't run
	Files             *LabFiles         // what scenario.js needs on a site of files; nil on a server
}

// LabFiles is for scenario.js, which does on a site of files what a server does with the address.
type LabFiles struct {
	// The names of parameters, by what they are of: a scenario, a moment, a task, and a frame on another site.
	Parameters, Moment, OfTask, Frame string
	Longest                           int     // bytes of a link
	TitleMax, TextMax, ParMax         int     // limits of a task
	Task                              LabTask // an example of a task for the recipe; zero if there can be none
}

// attributes returns the attributes of the Lab's document. No reel has its runs.
func (p LabProps) attributes() templ.Attributes {
	all := templ.Attributes{"data-page": "lab"}
	if p.Files != nil {
		all["data-reel"] = ""
	}
	return all
}

// script returns what scenario.js needs to know of the form, with places for arguments in the texts.
func (p LabProps) script() templ.Attributes {
	if p.Files == nil {
		return nil
	}
	return templ.Attributes{
		"data-parameters": p.Files.Parameters, "data-moment": p.Files.Moment, "data-task": p.Files.OfTask,
		"data-frame": p.Files.Frame, "data-longest": itoa(p.Files.Longest),
		"data-title": p.Say("lab.title"), "data-other": p.Say("lab.beside.other"),
		"data-timeout": p.Say("fault.timeout", "{0}"), "data-goal": p.Say("lab.task.goal", "{0}"),
		"data-par": p.Say("challenge.fewest", "{0}"), "data-bad-rule": p.Say("bad.task.rule", "{0}", "{1}"),
		"data-bad-par":   p.Say("bad.task.par", "{0}", itoa(p.Files.ParMax)),
		"data-bad-title": p.Say("bad.task.title", itoa(p.Files.TitleMax), "{0}"),
		"data-bad-text":  p.Say("bad.task.text", itoa(p.Files.TextMax), "{0}"),
		"data-title-max": itoa(p.Files.TitleMax), "data-text-max": itoa(p.Files.TextMax),
		"data-par-max": itoa(p.Files.ParMax),
	}
}

// sampleTask returns the page with the task that scenario.js makes the reader's own of.
func (p LabProps) sampleTask() LabProps {
	p.Task = p.Files.Task
	return p
}

// Nodes describes the nodes that a recipe's clients talk to.
type Nodes struct {
	Count    string
	Replicas bool        // there are replicas
	Tables   bool        // they are a database
	Where    fault.Where // which faults its runs allow
}

// faultWords returns the words for a kind of fault in the lab's list.
func (f Frame) faultWords(k fault.Kind) string {
	if k.Target() == fault.ToNode {
		return f.Say("lab.kind.node." + k.String())
	}
	return f.Say("lab.kind." + k.String())
}

// labKinds returns the kinds of faults in the lab's list.
func labKinds() []fault.Kind {
	return slices.Concat(fault.Kinds(), slices.DeleteFunc(fault.ToClients(fault.OnOthers), func(k fault.Kind) bool {
		return k.Where() == fault.Anywhere
	}), fault.ToNodes())
}

// Even explains an even number of servers.
type Even struct {
	Servers, Fewer string
	Lesson         *lessons.PageLink // the lesson that shows why, nil if none
	Anchor         string            // the anchor of its step
}

// isRecipe reports whether the form's lists contain a recipe of that name.
func (p LabProps) isRecipe(name string) bool {
	return slices.Contains(p.Recipes, name) || slices.Contains(p.Pitfalls, name)
}

// Beside is a run that can stand beside the one on the stage.
type Beside struct{ Query, Label string }

// LabRule is a rule to choose from.
type LabRule struct {
	Name  string
	Title sentence.Sentence
}

// LabTask is a task that somebody made of a run and shares as a link. All its text is theirs.
type LabTask struct {
	Title, Rule, Par string // as given
	Text             string // its author's description, as given
	Goal             sentence.Sentence
	Task             string // in the format of challenge.Parse; empty if none
	Link             string // the task's own address, in the source language
}

// challenge returns the task as a challenge to show.
func (f Frame) challenge(t LabTask) lessons.PageChallenge {
	par, _ := strconv.Atoi(t.Par)
	return lessons.PageChallenge{
		Task: t.Task, Goal: f.Say("lab.task.goal", f.says(t.Goal)), Won: f.Say("lab.task.won"), Par: par,
		Hits: lessons.HitsClient,
	}
}

// beyond returns how long a fault lasts unless the reader chooses another length: longer than the run's sessions.
func beyond(timeout string) time.Duration {
	session, _ := time.ParseDuration(timeout) // none is shorter than any
	return fault.Beyond(session)
}

// number returns a fault's length as a number of seconds, and inSeconds as in a written fault.
func number(d time.Duration) string    { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
func inSeconds(d time.Duration) string { return number(d) + "s" }

// spelled writes a time of a scenario for people.
func spelled(text string) string {
	d, err := time.ParseDuration(text)
	if err != nil {
		return text
	}
	return sentence.Spell(d)
}

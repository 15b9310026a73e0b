package page

import (
	"slices"
	"strconv"

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
	}
}

// Package page turns typed props into HTML. Its parts (*.templ) hold no logic beyond if and for, and every value goes
// through templ's escaping, because names and data of znodes are hostile.
//
// It knows no HTTP and no runs: the packages below web fill the props, and package lessons makes the lessons' pages.
package page

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/lessons"
)

// HomeProps is the first page.
type HomeProps struct {
	Frame
	Parts []lessons.Part
}

// ReviewProps repeats three questions from a part of the course.
type ReviewProps struct {
	Frame
	Part      lessons.Part
	Questions []lessons.Review
	Next      *lessons.PageLink // the first lesson of the next part, nil after the last
}

// reasked returns a question with an ID that is unique among those of several lessons.
func reasked(r lessons.Review) lessons.PageQuestion {
	q := *r.Step.Question
	q.ID = r.Lesson.Slug + "-" + q.ID
	return q
}

// GlossaryProps is the page of terms.
type GlossaryProps struct {
	Frame
	Terms []*lessons.Term
}

// SearchProps is a search and its results.
type SearchProps struct {
	Frame
	Query string
	Hits  []Hit
}

// Hit is a page that was found. Kind ends the key of its word: "lesson", "term" or "recipe".
type Hit struct {
	Kind, Title string
	Address     string // without the language
	Pieces      []Piece
}

// Piece is a part of a text. Found marks the match.
type Piece struct {
	Text  string
	Found bool
}

// LessonProps is a lesson's page.
type LessonProps struct {
	Frame
	Lesson *lessons.Page
	Source Source
	ByHand *Way // how to join the zoo by hand, nil if no ZooKeeper runs here
}

// Source is a recipe's source file.
type Source struct {
	File  string // recipes/children_lock.go
	Lines []SourceLine
}

// SourceLine is one line, split into tokens for colouring.
type SourceLine struct {
	Number int
	Tokens []Token
}

// Token is a piece of a line. Class is "k" for a keyword, "s" for a literal, "c" for a comment, or empty.
type Token struct{ Class, Text string }

// LiveProps is the view of a subtree of the operator's ZooKeeper.
type LiveProps struct {
	Frame
	Path string // the subtree, as given
	// Cluster names the cluster; empty for the unnamed one. Clusters lists all names.
	Cluster  string
	Clusters []string
	Error    sentence.Sentence // why Path can't be shown
	Away     sentence.Sentence // why the ZooKeeper is out of reach now
	Moment   int64             // the moment to show if the log reaches back to it, in ms since 1970; 0 for the present
	Znode    string            // the znode to select at that moment
	Turn     *LockTurn         // the latest handover in the list of locks; nil if none
	Seen     *LockRow          // the latest row in the list of locks if nothing can be seen now; nil if none
	SeenAt   string            // the row's time, in the format of <time>
	// Joined tells that zkviz has joined the ensemble as an observer. Otherwise it reads with a session.
	Joined bool
}

// ZooProps is the view of the ZooKeeper inside this program and its clients, or of the clients that use a real one
// through a tap.
type ZooProps struct {
	Frame
	Address string            // address for clients, empty if no ZooKeeper runs here
	Tapped  bool              // the view of a tap
	Servers int               // number of its servers
	Path    string            // the shown subtree
	Queue   string            // the queue that the programs to paste join
	Error   sentence.Sentence // why Path can't be shown
	Most    int               // maximum number of contenders
	Hold    fault.Hold        // how long contenders hold
	Ways    []Way
}

// RedisProps is the view of the Redis inside this program and its clients.
type RedisProps struct {
	Frame
	Address string // address for clients, empty if no Redis runs here
	Ways    []Way
}

// Way is one way of joining the queue from a terminal.
type Way struct {
	Name      string // the tool: "Python, kazoo"
	Needs     string // the Debian packages that it requires, or empty
	Elsewhere string // the key of its requirements on other systems, or empty
	Text      string // to paste
	By        bool   // by hand: the reader's client leaves when the reader says so
}

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

// CompareProps is the page of costs: charts, and a table with the same figures.
type CompareProps struct {
	Frame
	Choices []CompareChoice
	Clients string // as given: "2,10,100"
	Voters  string // how many servers vote on the simulator, as given
	Watch   string // how many only observe, as given; empty for none
	Even    *Even  // what the even number of voters is worth, nil for an odd one
	Between bool   // show the messages between servers
	Live    bool   // also on a real ZooKeeper
	Runs    int    // measured runs
	Missing int    // runs still being measured on the simulator
	// LiveMissing counts the runs that weren't measured on the real ZooKeeper.
	LiveMissing int
	Key         []ChartKey
	Charts      []Chart
	Costs       []CostGroup
	Error       sentence.Sentence
}

// columns returns the number of the table's columns.
func (p CompareProps) columns() int {
	n := 6
	for _, more := range []bool{p.Live, p.Between} {
		if more {
			n++
		}
	}
	return n
}

// CompareChoice is a recipe that can be compared.
type CompareChoice struct {
	Name   string
	Chosen bool
}

// Chart is a drawing in the units of its ViewBox. Title is the key of its words. AxisX and AxisY are the positions of
// the axes' names. Without Lines there is nothing to draw.
type Chart struct {
	Title, ViewBox string
	AxisX, AxisY   string
	Grid           []ChartGrid
	Lines          []ChartLine
}

// ChartGrid is one line of the grid with its label.
type ChartGrid struct{ Class, Path, X, Y, Text string }

// ChartLine shows a recipe's costs on one host, with a sign at each point.
type ChartLine struct{ Class, Path, Signs string }

// ChartKey explains the lines: a recipe's by Text, or all lines of a Host.
type ChartKey struct{ Class, Sign, Text, Host string }

// CostGroup is a recipe's part of the table.
type CostGroup struct {
	Recipe string
	Rows   []CostRow
}

// CostRow is a row of the table as text.
type CostRow struct{ Waiters, Host, Wakeups, Most, Requests, Bytes, Between, Time string }

// RecipesProps is the catalogue.
type RecipesProps struct {
	Frame
	Groups []RecipeGroup
}

// RecipeGroup holds recipes for one purpose, and the pitfalls that they cure.
type RecipeGroup struct {
	ID                string
	Recipes, Pitfalls []RecipeCard
}

// RecipeCard is one recipe of the catalogue.
type RecipeCard struct {
	Name       string
	Promises   []sentence.Sentence // titles of the rules that always hold; of a pitfall, those that it breaks
	Limits     []sentence.Sentence // of rules that hold while no session expires unnoticed and no Harms occur
	Harms      []string            // faults, by name
	Sources    []string
	Cure       string // of a pitfall: the correct recipe
	Seen       string // of a pitfall: the rest of the Lab's address at which it breaks a promise
	MinClients int
	Servers    int // the number that it requires, 0 for a single server
	Source     Source
	Lesson     *lessons.PageLink // the lesson that teaches it, nil if none
}

// calm states the conditions of a recipe's limits: no session ends unnoticed, and none of the harms occurs.
func (f Frame) calm(harms []string) string {
	text := f.Say("recipes.calm")
	for i, name := range harms {
		join := "recipes.calm.more"
		if i == len(harms)-1 {
			join = "recipes.calm.last"
		}
		text = f.Say(join, text, f.Say("recipes.without."+name))
	}
	return text
}

// ErrorProps is the page for an error.
type ErrorProps struct {
	Frame
	Status int // HTTP status
}

// picture returns the address of a step's picture. Each theme has its own, and CSS shows one of them.
func (f Frame) picture(slug, anchor, theme string) string {
	if slug == "" { // a recipe's
		return f.Base + f.Lang.To("/recipes/"+anchor+".svg?theme="+theme)
	}
	return f.Base + f.Lang.To("/lessons/"+slug+"/"+anchor+".svg?theme="+theme)
}

// asset returns the address of a file under static.
func (f Frame) asset(name string) string {
	if f.Version == "" {
		return f.Base + "/static/" + name
	}
	return f.Base + "/static/" + name + "?v=" + f.Version
}

// to returns the address of another page in this page's language.
func (f Frame) to(address string) templ.SafeURL { return templ.SafeURL(f.Base + f.Lang.To(address)) }

// panelsOf names the panels that a step opens, in the format of panels.js. A challenge needs the inspector's buttons.
func panelsOf(s lessons.PageStep) string {
	var names []string
	for _, panel := range s.Opens {
		names = append(names, string(panel))
	}
	if s.Challenge != nil {
		names = append(names, string(lessons.PanelInspector))
	}
	return strings.Join(names, " ")
}

func itoa(n int) string { return strconv.Itoa(n) }

// query escapes a value for an address.
func query(s string) string { return url.QueryEscape(s) }

// segment is a part of an address's path.
func segment(s string) string { return url.PathEscape(s) }

// named reports whether there is a ZooKeeper to show.
func (p LiveProps) named() bool { return p.Servers != "" || p.Cluster != "" }

// where returns the name of the ZooKeeper on the page.
func (p LiveProps) where() string { return cmp.Or(p.Cluster, p.Servers) }

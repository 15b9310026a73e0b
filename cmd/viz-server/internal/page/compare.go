package page

import "github.com/zkviz/zkviz/engine/event/sentence"

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

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
	Live    bool   // also on a real ZooKeeper
	Runs    int    // measured runs
	Missing int    // runs still being measured on the simulator
	// LiveMissing counts the runs that weren't measured on the real ZooKeeper.
	LiveMissing int
	Figures     string // charts, table and remarks: HTML of engine/stage/costs
	Error       sentence.Sentence
}

// CompareChoice is a recipe that can be compared.
type CompareChoice struct {
	Name   string
	Chosen bool
}

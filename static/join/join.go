// Package join holds programs that a reader can run to join the queue on the screen: one for each language,
// each with the client library that its language is known for. They queue at Path, three times, and stay
// inside for some seconds.
//
// They stand in one queue with each other because all call their znodes SOMETHING-lock-NUMBER and go by the
// number. engine/testing/clients runs them, against the embedded server and against Apache ZooKeeper.
package join

import (
	"embed"
	"fmt"
)

// Path is the queue that the programs join.
const Path = "/zkviz/queue"

//go:embed Join.java join.py join.sh gozk/main.go
var files embed.FS

// Program is one of them.
type Program struct {
	Language  string // "Java", "Python", "Go" or "Shell"
	Client    string // the library or tool that it talks to ZooKeeper with
	Name      string // how it calls itself in what it prints: "curator: inside", "curator: leaving"
	File      string // its path in this folder
	Source    string
	Debian    string   // the packages that it needs besides the language, empty if the project has all
	Elsewhere string   // the key of what it needs on other systems, empty for nothing
	Command   []string // runs it in this folder, on Debian; a server's address and the seconds inside may follow
	Run       string   // runs it in a shell anywhere, from its file; a server's address follows
}

// curator are the jars, as Debian has them; each names in its manifest what else it needs.
const curator = "/usr/share/java/curator-recipes.jar:/usr/share/java/slf4j-nop.jar"

// Programs are all of them, in the order in which to show them.
func Programs() ([]Program, error) {
	all := []Program{
		{Language: "Java", Client: "Apache Curator", Name: "curator", File: "Join.java",
			Debian: "default-jdk-headless libcurator-recipes-java", Elsewhere: "zoo.elsewhere.curator",
			Command: []string{"java", "-cp", curator, "Join.java"},
			Run:     `java -cp "${CP:-` + curator + `}" Join.java`},
		{Language: "Python", Client: "kazoo", Name: "kazoo", File: "join.py",
			Debian: "python3-kazoo", Elsewhere: "zoo.elsewhere.kazoo",
			Command: []string{"/usr/bin/python3", "join.py"}, Run: "python3 join.py"},
		{Language: "Go", Client: "go-zookeeper", Name: "go", File: "gozk/main.go",
			Elsewhere: "zoo.elsewhere.go", Command: []string{"go", "run", "./gozk"}, Run: "go mod tidy && go run ."},
		{Language: "Shell", Client: "zkCli.sh", Name: "shell", File: "join.sh",
			Debian: "zookeeper", Elsewhere: "zoo.elsewhere.shell", Command: []string{"bash", "join.sh"}, Run: "bash join.sh"},
	}
	for i := range all {
		text, err := files.ReadFile(all[i].File)
		if err != nil {
			return nil, fmt.Errorf("read the program %s: %w", all[i].File, err)
		}
		all[i].Source = string(text)
	}
	return all, nil
}

// Package static holds the files that the server sends unchanged: styles, scripts, the stage's frame, drawings, the
// licences of linked code, and, after `make wasm`, the WebAssembly under built.
//
// Scripts and styles are named for what they do. early.js starts to load the stage's program, steps.js turns a
// lesson's steps, challenge.js shows how its challenges go, course.js keeps the reader's progress, panels.js folds
// parts of a lesson away, present.js presents, share.js makes a link to a moment, follow.js goes where another page
// is, keep.js saves a picture and clip.js a clip, open.js opens a trace, fork.js a fork, ask.js starts a program in a
// worker, worker.js loads it there, menu.js shows the actions for something on the stage, embed.js is for frames on
// other sites, repair.js is a program with a gap, order.js has lines to put back in order, terms.js says what a term
// means, again.js has questions come back after days, herd.js plays a thousand clients, explore.js looks for a
// schedule that breaks a promise, past.js is the Past page, locks.js the list of locks, and story.js the story below
// the stage. A site of files has search.js, its search, scenario.js and compare.js, which read the addresses of the
// Lab and of Compare, offline.js, a worker that keeps its files, and ahead.js, which asks for them. scorm.js is in
// packages for an LMS.
//
// attend.js sees whether a tab belongs to a class. If so, it loads class.js, the connection, classbar.js, the bar,
// classask.js, the questions, classlead.js, what a teacher has, classboard.js, the board, classpad.js, learners'
// clients, and classdoor.js, the door.
package static

import "embed"

// Files holds all files, by their path in this folder.
//
//go:embed *.css *.js *.svg *.html *.txt built
var Files embed.FS

// Bundles returns the files that pages get as one, so that a page needs few requests: a name, and what it joins in this
// order. head.js has what must be known before the first paint, page.css and page.js all else that pages share,
// classes.js what those in a class need as well, and frame.js is for the stage's frame.
func Bundles() map[string][]string {
	return map[string][]string{
		"head.js": {"kept.js", "early.js"},
		"page.css": {"app.css", "bench.css", "lesson.css", "holding.css", "menu.css", "present.css", "keep.css", "lab.css",
			"past.css", "embed.css", "herd.css", "story.css"},
		"page.js": {"app.js", "share.js", "steps.js", "terms.js", "challenge.js", "answers.js", "panels.js",
			"beside.js", "vary.js", "course.js",
			"menu.js", "present.js", "keep.js", "clip.js", "open.js", "ask.js", "fork.js", "lab.js", "embed.js", "ahead.js",
			"follow.js", "attend.js"},
		"classes.js": {"class.js", "classbar.js", "classask.js", "classlead.js", "classboard.js", "classpad.js",
			"classdoor.js"},
		"frame.js": {"stage.js", "built/wasm_exec.js"},
	}
}

// Licences returns licences.txt: the licences of everything linked into viz-server and the page's program.
func Licences() string {
	text, err := Files.ReadFile("licences.txt")
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

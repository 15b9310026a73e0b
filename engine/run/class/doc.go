// Package class is what a class does together: it follows its teacher, answers questions, and compares.
//
// A class is a log of entries and what they add up to, a [State]. What somebody wants is a [Command]; [State.Take] says
// whether it may be, and which entry it makes. Every server that has read the same entries has the same State, so
// another can go on where one has died: package across does that, as a [Line]. Who is connected, and who follows, is in
// no log: each server says it of its pages, to the others ([Presence]).
//
// The class knows no run. Where its teacher is, it knows as a [Place]: a page and what a link to the moment says. It
// knows questions of lessons by their names, because each learner has their words in a language of their own.
//
// There are two kinds of people, and no accounts. Anybody who knows the class's secret is a teacher: on any machine,
// also on two. Learners have keys that their browsers make up, so they are the same after a lost connection. The log
// has only hashes of either.
//
// It has no goroutine and no clock, and knows no websocket: others carry commands here, and views to pages.
package class

// Package analysis is the room of what a log means: the fold that computes what is true at a moment (view), what is
// promised (promise), the judges of that (check) and what a learner is to do with it (challenge), who holds a lock and
// who waits for it (naming, handover), and branches (fork). It is pure, and sees events alone: no host, no server, no
// picture.
package analysis

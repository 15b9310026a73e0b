// Package analysis is the room of what a log means: the fold that computes what is true at a moment (view), the
// rules that judge it (check) and what a learner is to do with them (challenge), who holds a lock and who waits
// for it (naming, handover), and branches (fork). It is pure, and sees events alone: no host, no server, no
// picture.
package analysis

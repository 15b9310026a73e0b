// Package room keeps runs and lets viewers follow them: rooms of simulated runs and their branches, of runs and
// observations on a real ZooKeeper, and of the one inside the program; and it divides among those who ask what is
// scarce: memory, turns to compute, sessions, places.
//
// It knows neither HTTP nor websockets (a Viewer is whoever takes frames), computes nothing itself (engine/run does)
// and draws nothing. The web server uses it; what it may take is in limits.go.
package room

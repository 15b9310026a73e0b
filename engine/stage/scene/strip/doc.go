// Package strip plans and paints the line of figures at the foot of a picture. Package scene calls it.
package strip

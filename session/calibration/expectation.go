package calibration

import (
	"maps"
	"math"
	"slices"

	"winnow/history"
)

// What is believed of a tokenizer before it has counted anything. A spread is a standard deviation: of the natural
// logarithm of the value, which is nearly a share of it.
const (
	spreadAll     = 0.8  // of what it counts for each of our tokens
	spreadKind    = 0.45 // of a kind of text against the others
	spreadScript  = 0.35 // of a script other than Latin, beside that
	spreadMessage = 0.15 // of a message against its kind
	spreadImage   = 0.3  // of an image against the others
	spreadCount   = 0.01 // of a count against all of this, as for markers between messages
	spreadKnown   = 0.02 // of what is well known, for all that is not believed here

	farthest = 20.0 // standard deviations; none is larger

	frameMean, frameSpread = 1.0, 4.0 // tokens around a message beside those of frameTokens
	imageMean, imageSpread = history.ImageTokens, 600.0

	leastRatio   = 0.38 // of our tokens; no tokenizer counts fewer
	leastShare   = 0.7  // nor fewer than this share of what it is known to count,
	leastSpreads = 5    // so many standard deviations below

	fitRounds = 4 // of the linearization; more change nothing
)

// sample is a request and what the server counted for it.
type sample struct {
	parts []Part
	count float64

	keys   map[partKey]bool
	kinds  map[textKind]float64 // our tokens of each kind of text
	images float64
	frames float64 // messages
}

func newSample(parts []Part, count int) sample {
	s := sample{parts: parts, count: float64(count), keys: make(map[partKey]bool, len(parts)), kinds: map[textKind]float64{}}
	for _, p := range parts {
		s.keys[p.partKey] = true
		s.kinds[p.kind] += float64(p.tokens)
		s.images += float64(p.images)
		s.frames++
	}
	return s
}

// text is our count of the texts.
func (s sample) text() float64 {
	n := 1e-9
	for _, of := range s.kinds {
		n += of
	}
	return n
}

// tokenizer is what samples say of a server's tokenizer: a Bayesian regression of its counts on the kinds of
// text in the requests, in which a message that stands in two requests costs the same in both. It is
// linear around the values that fit best.
type tokenizer struct {
	samples []sample
	kinds   []textKind
	log     []float64 // the logarithm of what is counted for each of our tokens, by kind
	frame   float64   // tokens around a message
	image   float64   // tokens of an image

	prior [][]float64 // the covariance of these values before the samples
	chol  [][]float64 // of the covariance of the counts
	alpha []float64   // the inverse of that covariance times the residuals
}

// overlap is what two requests have in common: the sums of the squares of our tokens by kind of text, and images.
type overlap struct {
	squares []float64
	images  float64
}

// expectation is what a server that reads a whole request will count for it. Its distribution is skewed: a part
// of the tokens is well known, and the rest may be several times as many.
type expectation struct {
	tokens float64
	least  float64 // tokens; no tokenizer counts fewer
	open   float64 // of the tokens, those that are not well known
	spread float64 // the standard deviation of the logarithm of these
	ratio  float64 // tokens for each of ours, without images
}

// fit learns a tokenizer from the samples, so that a request with the parts can be expected. The ratio is what is
// believed without samples: tokens for each of ours.
func fit(samples []sample, ratio float64, parts sample) *tokenizer {
	seen := maps.Clone(parts.kinds)
	for _, s := range samples {
		maps.Copy(seen, s.kinds)
	}
	t := &tokenizer{samples: samples, kinds: slices.Sorted(maps.Keys(seen)), frame: frameMean, image: imageMean}
	n := len(t.kinds)
	t.log = slices.Repeat([]float64{math.Log(ratio)}, n)
	before := slices.Concat(t.log, []float64{t.frame, t.image})
	t.prior = belief(t.kinds)
	if len(samples) == 0 {
		return t
	}
	overlaps := make([][]overlap, len(samples))
	for i, s := range samples {
		for _, other := range samples[:i+1] {
			overlaps[i] = append(overlaps[i], t.overlap(s, other))
		}
	}
	for range fitRounds {
		slopes := make([][]float64, len(samples))
		covariance := matrix(len(samples))
		residual := make([]float64, len(samples))
		for i, s := range samples {
			slopes[i] = t.slope(s)
			residual[i] = s.count - t.count(s) + dot(slopes[i], t.moved(before))
			for j := range i + 1 {
				covariance[i][j] = t.between(slopes[i], slopes[j]) + t.shared(overlaps[i][j])
			}
			covariance[i][i] += square(spreadCount*s.count) + 1
		}
		t.chol = cholesky(covariance)
		t.alpha = solve(t.chol, residual)
		after := slices.Clone(before)
		for i, slope := range slopes {
			for k, d := range times(t.prior, slope) {
				after[k] += d * t.alpha[i]
			}
		}
		for k := range t.log {
			t.log[k] = min(max(after[k], t.log[k]-1), t.log[k]+1)
		}
		t.frame, t.image = max(0, after[n]), max(10, after[n+1])
	}
	return t
}

// belief is the covariance of a tokenizer's values before it has counted anything.
func belief(kinds []textKind) [][]float64 {
	n := len(kinds)
	m := matrix(n + 2)
	for i, kind := range kinds {
		for j := range n {
			m[i][j] = square(spreadAll)
		}
		m[i][i] += square(spreadKind)
		if kind >= hanText {
			m[i][i] += square(spreadScript)
		}
	}
	m[n][n], m[n+1][n+1] = square(frameSpread), square(imageSpread)
	return m
}

// expect is what the tokenizer will count for a request.
func (t *tokenizer) expect(r sample) expectation {
	slope := t.slope(r)
	tokens, variance := t.count(r), t.between(slope, slope)+t.shared(t.overlap(r, r))
	posterior := make([]float64, len(slope)) // the variances of the values
	for k := range posterior {
		posterior[k] = t.prior[k][k]
	}
	if len(t.samples) > 0 {
		with := make([]float64, len(t.samples))
		towards := make([][]float64, len(t.samples))
		for i, s := range t.samples {
			towards[i] = times(t.prior, t.slope(s))
			noise := t.shared(t.overlap(r, s))
			with[i] = dot(towards[i], slope) + noise
			tokens += noise * t.alpha[i]
		}
		variance -= dot(with, solve(t.chol, with))
		for k := range posterior {
			of := make([]float64, len(t.samples))
			for i := range of {
				of[i] = towards[i][k]
			}
			posterior[k] -= dot(of, solve(t.chol, of))
		}
	}
	tokens = max(tokens, 1)
	e := expectation{tokens: tokens}
	// What is open is that part of the tokens which has the whole spread, if the rest has none.
	sum, weighted := 1e-9, 0.0
	for k := range t.kinds {
		s := math.Sqrt(max(0, posterior[k]))
		e.least += r.kinds[t.kinds[k]] * max(leastRatio, leastShare*math.Exp(t.log[k]-leastSpreads*s))
		sum += slope[k] * s
		weighted += slope[k] * s * s
	}
	sd := math.Sqrt(max(variance, 0) + square(spreadCount*tokens))
	e.spread = max(weighted/sum, spreadMessage, sd/tokens)
	e.open = sd / e.spread
	e.ratio = (tokens - r.images*t.image) / r.text()
	return e
}

// at is the count that is so many standard deviations too small.
func (e expectation) at(z float64) float64 {
	return (e.tokens-e.open)*math.Exp(-spreadKnown*z) + e.open*math.Exp(-e.spread*z)
}

// below is by how many standard deviations a count is too small.
func (e expectation) below(count float64) float64 {
	if count < e.least {
		return farthest
	}
	low, high := -farthest, farthest
	for high-low > 0.01 {
		z := (low + high) / 2
		if e.at(z) > count {
			low = z
		} else {
			high = z
		}
	}
	return low
}

// count is what the values say of a request.
func (t *tokenizer) count(r sample) float64 {
	n := r.frames*t.frame + r.images*t.image
	for k, kind := range t.kinds {
		n += r.kinds[kind] * math.Exp(t.log[k])
	}
	return n
}

// slope is how the count of a request changes with each of the values.
func (t *tokenizer) slope(r sample) []float64 {
	d := make([]float64, len(t.kinds), len(t.kinds)+2)
	for k, kind := range t.kinds {
		d[k] = r.kinds[kind] * math.Exp(t.log[k])
	}
	return append(d, r.frames, r.images)
}

// moved is how far the values are from those before.
func (t *tokenizer) moved(before []float64) []float64 {
	d := make([]float64, len(before))
	for k := range t.log {
		d[k] = t.log[k] - before[k]
	}
	n := len(t.log)
	d[n], d[n+1] = t.frame-before[n], t.image-before[n+1]
	return d
}

// between is the covariance of two counts that comes from the values.
func (t *tokenizer) between(a, b []float64) float64 { return dot(a, times(t.prior, b)) }

// shared is the covariance of two counts that comes from the messages in both.
func (t *tokenizer) shared(o overlap) float64 {
	sum := o.images * square(spreadImage*t.image)
	for k, of := range o.squares {
		sum += of * square(spreadMessage*math.Exp(t.log[k]))
	}
	return sum
}

func (t *tokenizer) overlap(a, b sample) overlap {
	o := overlap{squares: make([]float64, len(t.kinds))}
	for _, p := range a.parts {
		if b.keys[p.partKey] {
			k, _ := slices.BinarySearch(t.kinds, p.kind)
			o.squares[k] += square(float64(p.tokens))
			o.images += float64(p.images)
		}
	}
	return o
}

func square(x float64) float64 { return x * x }

func matrix(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func times(m [][]float64, v []float64) []float64 {
	of := make([]float64, len(m))
	for i := range m {
		of[i] = dot(m[i], v)
	}
	return of
}

// cholesky is the lower triangle l with l·lᵀ = m, of a positive definite matrix whose lower triangle is given.
func cholesky(m [][]float64) [][]float64 {
	l := matrix(len(m))
	for i := range m {
		for j := range i + 1 {
			rest := m[i][j] - dot(l[i][:j], l[j][:j])
			if i == j {
				l[i][i] = math.Sqrt(max(rest, 1e-9))
			} else {
				l[i][j] = rest / l[j][j]
			}
		}
	}
	return l
}

// solve is the x with l·lᵀ·x = b.
func solve(l [][]float64, b []float64) []float64 {
	x := slices.Clone(b)
	for i := range x {
		x[i] = (x[i] - dot(l[i][:i], x[:i])) / l[i][i]
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := i + 1; j < len(x); j++ {
			x[i] -= l[j][i] * x[j]
		}
		x[i] /= l[i][i]
	}
	return x
}

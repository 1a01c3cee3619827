//go:build cgo

package cli

import (
	"context"

	"winnow/cli/report"
	"winnow/session"
)

// contextDiff shows what changed from one request to a later one. The verdicts are those of the
// records, so nothing of the past is put together again.
func (p *program) contextDiff(ctx context.Context, s *session.Session, asked contextAsked) error {
	before, err := recordedRequest(ctx, s, asked.since)
	if err != nil {
		return err
	}
	after, err := p.laterRequest(ctx, s, asked)
	if err != nil {
		return err
	}
	d := report.Diff{Info: s.Info(), Before: before, After: after}
	if asked.json {
		return report.WriteJSON(p.out, d.JSON())
	}
	return d.Table(p.out, p.columns())
}

func recordedRequest(ctx context.Context, s *session.Session, at pastRef) (report.DiffRequest, error) {
	r, err := s.Records().Find(ctx, at.turn, at.nth)
	return report.DiffRequest{Record: &r, Sum: r.Verdicts.Sum, Entries: r.Verdicts.Entries}, explainMoment(err)
}

// laterRequest is what is compared: the request of --turn, or the next one.
func (p *program) laterRequest(
	ctx context.Context, s *session.Session, asked contextAsked,
) (report.DiffRequest, error) {
	if asked.turn != (pastRef{}) {
		return recordedRequest(ctx, s, asked.turn)
	}
	l, err := p.nextContext(ctx, s, asked)
	return report.DiffRequest{Sum: l.Plan.Sum, Entries: l.Plan.Entries}, err
}

package event

// The types about coupons.
const (
	TypeCouponCreated Type = "coupon.created"
	TypeCouponUpdated Type = "coupon.updated"
)

// CouponCreated means that a coupon can be redeemed.
type CouponCreated struct {
	ID string `json:"id" doc:"The coupon."`
}

// CouponUpdated means that a coupon was renamed, deactivated or activated again, or can be redeemed for another time.
type CouponUpdated struct {
	ID      string   `json:"id" doc:"The coupon."`
	Changed []string `json:"changed" doc:"Names of the fields that changed, never their values."`
}

func (e CouponCreated) about() about { return about{objectID: e.ID} }
func (e CouponUpdated) about() about { return about{objectID: e.ID} }

// Type implements Data.
func (CouponCreated) Type() Type { return TypeCouponCreated }

// Type implements Data.
func (CouponUpdated) Type() Type { return TypeCouponUpdated }

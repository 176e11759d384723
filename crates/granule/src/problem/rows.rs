//! The numbers of rows that contacts may have, and the block of each.

/// The value of an expression in which the number of rows of a contact is a constant and the type of their block is
/// known: `by_rows!(problem.rows(), <ROWS, B> sweep::<ROWS, B>(problem))`.
macro_rules! by_rows {
    ($rows:expr, <$count:ident, $block:ident> $then:expr) => {
        by_rows!(@ $rows, $count, $block, $then,
            1 => f64, 2 => $crate::math::DVec3, 3 => $crate::math::DVec3, 6 => $crate::math::Screw)
    };
    (@ $rows:expr, $count:ident, $block:ident, $then:expr, $($number:literal => $type:ty),+) => {
        match $rows {
            $($number => {
                #[allow(dead_code)]
                const $count: usize = $number;
                #[allow(dead_code)]
                type $block = $type;
                $then
            })+
            other => $crate::problem::no_such_rows(other),
        }
    };
}
pub(crate) use by_rows;

/// The constructors of problems refuse other numbers of rows.
pub(crate) fn no_such_rows(rows: usize) -> ! {
    unreachable!("contacts have 1, 2, 3 or 6 rows, not {rows}")
}

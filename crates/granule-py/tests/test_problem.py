"""Contact problems: solved, certified, read and written."""

import pickle

import numpy as np
import pytest
from conftest import box

import granule
from granule import Problem, ProblemError

sparse = pytest.importorskip("scipy.sparse")

# 2 kg that come down at 1 m/s and slide at 3 m/s with friction 0.5: exact friction gives m·1 along the normal.
SLIDING = np.array([2.0, -1.0, 0.0])


def sliding() -> Problem:
    return Problem(np.eye(3) / 2, [-1.0, 3.0, 0.0], friction=[0.5])


def test_every_solver_solves_what_it_can_and_says_what_it_cannot():
    solved = []
    for name in granule.solvers():
        try:
            solution = granule.solve(sliding(), name, tolerance=1e-7, max_iterations=100_000)
        except ProblemError as error:
            assert "try" in str(error)
            continue
        assert solution.converged and solution.status == "converged", name
        np.testing.assert_allclose(solution.impulses, SLIDING, atol=1e-5)
        np.testing.assert_allclose(solution.velocities, np.eye(3) @ solution.impulses / 2 + [-1, 3, 0], atol=1e-12)
        assert solution.certificate.scaled <= 1e-7 and solution.community_error <= 1e-7
        solved.append(name)
    assert {"ags", "nlgs-cases", "newton", "clarabel", "auto", "ipm"} <= set(solved) and len(solved) >= 15
    with pytest.raises(TypeError, match="and no ndarray"):
        granule.solve(np.eye(3))
    with pytest.raises(ValueError, match="there is no solver `fast`; there are"):
        granule.solve(sliding(), "fast")
    with pytest.raises(ValueError, match="`tolerance`"):
        granule.solve(sliding(), tolerance=2.0)


def test_the_convex_law_lets_sliding_contacts_open():
    convex = granule.solve(sliding(), law="convex")
    # The impulse is the point of the cone nearest to m (1, -3): along (1, -μ)/|.|.
    edge = np.array([1.0, -0.5]) / np.hypot(1, 0.5)
    np.testing.assert_allclose(convex.impulses[:2], (np.array([2.0, -6.0]) @ edge) * edge, atol=1e-6)
    with pytest.raises(ValueError, match="law"):
        granule.solve(sliding(), law="linear")


def test_dense_and_sparse_and_frictionless_problems():
    rows = np.array([[1, -1, 0, 0], [-1, 2, -1, 0], [0, -1, 2, -1], [0, 0, -1, 2]]) / 2.0
    for matrix in (rows, rows.tolist(), sparse.csr_matrix(rows), sparse.coo_array(rows)):
        train = Problem(matrix, [-1.0, 0, 0, 0])
        assert (train.contacts, train.rows_a_contact, train.friction) == (4, 1, None)
        solution = granule.solve(train)
        # Each contact stops all balls behind it.
        np.testing.assert_allclose(solution.impulses, [8, 6, 4, 2], atol=1e-6)
        assert solution.community_error is None and solution.converged
    local, free = train.to_local()
    np.testing.assert_array_equal(local.toarray(), rows)
    assert free.tolist() == [-1, 0, 0, 0]


def test_both_forms_have_the_same_solution(tmp_path):
    # Two masses of 1 and 3 kg, each on a contact of its own with the ground.
    mass = sparse.diags([1.0, 1.0, 1.0, 3.0, 3.0, 3.0])
    directions = sparse.identity(6, format="csr")
    momentum = np.array([-2.0, 1.0, 0.0, -6.0, 0.5, 0.2])
    problem = Problem.from_dynamics(mass, directions, momentum, np.zeros(6), [0.3, 0.8], title="two")
    assert problem.form == "global" and problem.contacts == 2 and "two" in repr(problem)
    whole = granule.solve(problem, "ags")
    assert whole.converged
    np.testing.assert_allclose(mass @ whole.body_velocities, directions @ whole.impulses + momentum, atol=1e-12)
    # The second sticks: its slip is less than what friction can stop.
    np.testing.assert_allclose(whole.impulses, [2, -0.6, 0, 6, -0.5, -0.2], atol=1e-6)
    W, q = problem.to_local()
    local = granule.solve(Problem(W, q, [0.3, 0.8]), "ags")
    np.testing.assert_allclose(local.impulses, whole.impulses, atol=1e-7)
    for name in ("problem.hdf5", "problem.dat"):
        (problem if name.endswith("hdf5") else Problem(W, q, [0.3, 0.8])).save(tmp_path / name)
        again = granule.solve(tmp_path / name, "ags")
        np.testing.assert_allclose(again.impulses, whole.impulses, atol=1e-7)
    copied = pickle.loads(pickle.dumps(problem))
    assert copied.friction.tolist() == [0.3, 0.8] and copied.title == "two"


def test_the_certificate_judges_whoever_solved():
    problem = sliding()
    right, community = problem.certify(SLIDING)
    assert right.residual < 1e-12 and community < 1e-12
    nothing, community = problem.certify(np.zeros(3))
    assert nothing.scaled == pytest.approx(1.0) and community > 0.1
    # The convex answer is no answer to the exact problem.
    convex = granule.solve(problem, law="convex").impulses
    assert problem.certify(convex)[0].scaled > 0.1 and problem.certify(convex, law="convex")[0].scaled < 1e-7
    with pytest.raises(ValueError, match="3 entries, not 2"):
        problem.certify([0.0, 0.0])


def test_contradictions_are_told_with_their_contacts():
    # 1 kg between two walls that come closer, and another mass that has nothing to do with them.
    W = np.array([[1.0, -1.0, 0], [-1.0, 1.0, 0], [0, 0, 1.0]])
    solution = granule.solve(Problem(W, [0.0, -1.0, -1.0]), "ags")
    assert solution.status == "infeasible" and not solution.converged
    assert solution.contradiction == [0, 1]


def test_flawed_problems_are_refused():
    for make in (
        lambda: Problem(np.eye(2), [1.0, 2.0, 3.0]),
        lambda: Problem(np.eye(4), np.zeros(4), friction=[0.5]),
        lambda: Problem(np.eye(3), [np.nan, 0, 0], friction=[0.5]),
        lambda: Problem(np.eye(3), np.zeros(3), friction=[-0.5]),
        lambda: Problem(np.eye(3), np.zeros(3), friction=[]),
        lambda: Problem.load("no/such.hdf5"),
    ):
        with pytest.raises(ProblemError):
            make()
    with pytest.raises(ValueError, match="matrix"):
        Problem(np.zeros(3), np.zeros(3))
    with pytest.raises(ProblemError, match="friction"):
        Problem(np.eye(1), [-1.0]).save("a.hdf5")


def test_the_problem_of_a_step_is_solved_again():
    simulation = granule.Simulation(box(), threads=1)
    simulation.run(0.2)
    problem = simulation.problem()
    assert problem.rows_a_contact == 3 and problem.contacts > 20
    solution = granule.solve(problem, "ags", tolerance=1e-9)
    assert solution.converged
    # The sum of the impulses along the normals is that of the step, to the tolerance of the scene.
    found = solution.impulses.reshape(-1, 3)[:, 0].sum()
    assert found == pytest.approx(simulation.report.normal_impulse, rel=0.02)

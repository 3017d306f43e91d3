from datetime import timedelta

import pytest

from policyscaler.model.errors import InstanceNotFound, InsufficientCapacity, LaunchRefused
from policyscaler.simulation.market import Selection
from policyscaler.simulation.provider import round_half_even
from tests.unit.simulation.standin import REF, START, a_catalogue, a_world, step

ROWS = (
    ("metal.02", "zone-a", "spot"),
    ("metal.02", "zone-b", "spot"),
    ("metal.04", "zone-a", "on-demand"),
)


def launch(simulation, rows=ROWS, claim="c"):
    return simulation.actors.provider.launch(REF, rows=rows, claim=claim, token=claim)


def test_the_best_offering_that_can_be_had_is_launched():
    simulation = a_world()
    market = simulation.actors.provider.market
    market.run_out(Selection(zone="zone-a", capacity_type="spot"), START + timedelta(minutes=5))
    result = launch(simulation)
    instance = simulation.actors.provider.instances[result.provider_id]
    assert instance.triple == ROWS[1]
    assert result.exhausted == ROWS[:1]


def test_only_the_rows_of_the_claim_are_launched():
    simulation = a_world()
    simulation.actors.provider.market.run_out(Selection(), START + timedelta(minutes=5))
    with pytest.raises(InsufficientCapacity) as error:
        launch(simulation)
    assert error.value.offerings == ROWS
    step(simulation, minutes=5)
    assert launch(simulation).exhausted == ()


def test_an_offering_that_the_class_does_not_have_is_never_launched():
    with pytest.raises(InsufficientCapacity):
        launch(a_world(), rows=(("metal.99", "zone-a", "spot"),))


def test_the_same_token_gives_the_same_machine():
    simulation = a_world()
    assert launch(simulation).provider_id == launch(simulation).provider_id
    assert len(simulation.instances) == 1


def test_scripted_refusals_are_used_up():
    simulation = a_world()
    simulation.actors.provider.fail_launches(1, silently=False)
    with pytest.raises(LaunchRefused):
        launch(simulation)
    assert launch(simulation).provider_id


def test_seconds_are_billed_at_the_price_of_their_time():
    simulation = a_world()
    provider = simulation.actors.provider
    provider_id = launch(simulation, rows=ROWS[2:]).provider_id  # 192,000 micro-dollars an hour
    step(simulation, hours=1)
    assert provider.spent_micros() == 192_000
    provider.market.set_prices(Selection(instance_type="metal.04"), lambda price: price * 2)
    step(simulation, minutes=30)
    assert provider.spent_micros() == 192_000 + 192_000
    provider.terminate(provider_id)
    step(simulation, hours=5)
    assert provider.spent_micros() == 384_000
    with pytest.raises(InstanceNotFound):
        provider.terminate(provider_id)


def test_a_begun_second_is_billed_whole():
    simulation = a_world()
    launch(simulation, rows=ROWS[2:])
    step(simulation, milliseconds=1500)
    assert simulation.actors.provider.spent_micros() == round_half_even(192_000 * 2, 3600)


def test_an_interrupted_machine_is_taken_after_its_notice():
    simulation = a_world()
    provider = simulation.actors.provider
    provider_id = launch(simulation).provider_id
    provider.interrupt(provider_id)
    step(simulation, seconds=119)
    assert provider_id in simulation.instances
    step(simulation, seconds=1)
    assert provider_id not in simulation.instances


@pytest.mark.parametrize(
    ("numerator", "denominator", "rounded"), [(5, 2, 2), (7, 2, 4), (8, 3, 3), (7, 3, 2), (4, 2, 2)]
)
def test_halves_are_rounded_to_even(numerator, denominator, rounded):
    assert round_half_even(numerator, denominator) == rounded


def test_a_catalogue_keeps_its_identity_until_something_changes():
    market = a_world(catalogue=a_catalogue()).actors.provider.market
    plain = market.catalogue(REF, frozenset())
    gone = frozenset(ROWS[:1])
    without = market.catalogue(REF, gone)
    assert market.catalogue(REF, frozenset()) is plain
    assert market.catalogue(REF, gone) is without
    assert without.digest != plain.digest
    unavailable = [
        (kind.name, offering.zone, offering.capacity_type)
        for kind in without.types
        for offering in kind.offerings
        if not offering.available
    ]
    assert unavailable == list(ROWS[:1])
    market.set_prices(Selection(zone="zone-b"), lambda _: 1)
    assert market.catalogue(REF, gone).digest != without.digest


@pytest.mark.parametrize(
    ("selection", "text", "covers"),
    [
        (Selection(), "*/*/*", True),
        (Selection(instance_type="metal.02"), "metal.02/*/*", True),
        (Selection(instance_type="metal.04", zone="zone-a"), "metal.04/zone-a/*", False),
        (Selection(capacity_type="on-demand"), "*/*/on-demand", False),
    ],
)
def test_a_selection_leaves_open_what_it_does_not_name(selection, text, covers):
    assert str(selection) == text
    assert selection.covers(ROWS[0]) is covers
